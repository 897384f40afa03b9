import type { WifiContent } from '../../codes/content/code-content.ts';
import type { Translation } from '../languages/translation.ts';
import { html, type Markup } from './html.ts';
import { actions, copyButton, fact, facts, textFact } from './parts.ts';

const pictureSize = 240;

/** A page cannot join a network, so it shows what to type, and a code for other phones to scan. */
export function wifiBody(content: WifiContent, picture: string, translation: Translation): Markup {
  const { networkName, password, security, isHidden, identity = '' } = content;
  return html`${facts(
    textFact(translation.networkName, networkName),
    textFact(translation.security, security === 'none' ? translation.openNetwork : security),
    textFact(translation.userName, identity),
    password === ''
      ? undefined
      : fact(translation.password, [html`<code class="secret" id="password" dir="ltr">${password}</code>`]),
  )}
${isHidden ? html`<p class="quiet">${translation.hiddenNetwork}</p>` : undefined}
${password === '' ? undefined : actions(copyButton(translation.copyPassword, 'password', translation))}
<div class="join">
<img src="${picture}" width="${pictureSize}" height="${pictureSize}" alt="${translation.joinCode}">
<p>${translation.joinWithAnother}</p>
${password === '' ? undefined : html`<p class="quiet">${translation.joinWithThis}</p>`}
</div>`;
}
