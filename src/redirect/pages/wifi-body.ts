import type { WifiContent } from '../../codes/content/code-content.ts';
import type { Words } from '../languages/words.ts';
import { html, type Markup } from './html.ts';
import { actions, copyButton, fact, facts, textFact } from './parts.ts';

const pictureSize = 240;

/** A page cannot join a network. It shows what to type, and the code that another phone joins with. */
export function wifiBody(content: WifiContent, ownPath: string, words: Words): Markup {
  const { networkName, password, security, isHidden, identity = '' } = content;
  return html`${facts(
    textFact(words.networkName, networkName),
    textFact(words.security, security === 'none' ? words.openNetwork : security),
    textFact(words.userName, identity),
    password === ''
      ? undefined
      : fact(words.password, [html`<code class="secret" id="password" dir="ltr">${password}</code>`]),
  )}
${isHidden ? html`<p class="quiet">${words.hiddenNetwork}</p>` : undefined}
${password === '' ? undefined : actions(copyButton(words.copyPassword, 'password', words))}
<div class="join">
<img src="${ownPath}.svg?encode=content" width="${pictureSize}" height="${pictureSize}" alt="${words.joinCode}">
<p>${words.joinWithAnother}</p>
${password === '' ? undefined : html`<p class="quiet">${words.joinWithThis}</p>`}
</div>`;
}
