import { type ComponentChildren, Fragment } from 'preact';
import type { SharePreview } from '../../../codes/share-page.ts';
import { colors } from '../../../theme.ts';
import { CheckBox, type FormState, Input } from '../../ui/controls.tsx';
import { Icon } from '../../ui/icons.tsx';
import { More } from './content-inputs.tsx';

const title = 'What people see after scanning';

/** preview.browser.js replaces it while the form is filled in. */
export function PhonePreview({ shown }: { shown: SharePreview }) {
  return (
    <div class="phone" id="phone">
      <Screen shown={shown} />
    </div>
  );
}

function Screen({ shown }: { shown: SharePreview }) {
  if (!shown) return <p class="hint">Fill in the content to see it here.</p>;
  if ('page' in shown)
    // No script runs in it, and the style sheet of this page does not apply.
    return <iframe title={title} sandbox="" tabIndex={0} srcdoc={shown.page} />;
  const host = URL.parse(shown.href)?.host;
  return (
    <>
      {/* As a browser shows it. */}
      {host && (
        <div class="site-bar" aria-hidden="true">
          <Icon name="lock" />
          <bdi>{host}</bdi>
        </div>
      )}
      <p>
        Opens this address right away, without a page in between:
        <br />
        <bdi class="address">{breakable(shown.href)}</bdi>
      </p>
    </>
  );
}

/** With the places where a long address may go on in the next line. */
const breakable = (address: string) =>
  address.split(/(?<=[/?&=._-])(?![/?&=._-])/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));

interface PreviewCardProps {
  shown: SharePreview;
  /** The fields that only matter there. */
  children: ComponentChildren;
}

export function PreviewCard({ shown, children }: PreviewCardProps) {
  return (
    <section class="card phone-card">
      <h2>{title}</h2>
      <PhonePreview shown={shown} />
      {children}
    </section>
  );
}

interface PageFieldsProps {
  form: FormState;
  /** Shown until a color is chosen. */
  initialColor?: string | undefined;
  /** Its logo. */
  children: ComponentChildren;
}

/** How the page looks that a scan opens. Kept for types that redirect: the type may change again. */
export function PageFields({ form, initialColor = colors.accent[0], children }: PageFieldsProps) {
  const { values } = form;
  const color = values['pageColor'] ?? '';
  const colorForm = {
    ...form,
    values: { pageColor: color || initialColor, hasPageColor: color === '' ? '' : 'on' },
  };
  const names = ['pageText', 'pageColor', 'pageLogo', 'pageLogoAlt'];
  return (
    <More form={form} title="Name, line, color and logo of the page" names={names}>
      <CheckBox form={form} name="showsName" label="Without a public title, show the name" />
      <Input form={form} name="pageText" label="Line below the title (optional)" />
      <div class="switched">
        <CheckBox form={colorForm} name="hasPageColor" label="Use a color of your own" />
        <div>
          <Input
            form={colorForm}
            name="pageColor"
            label="Color"
            type="color"
            hint="Made darker or lighter where it would be hard to read."
          />
        </div>
      </div>
      {children}
    </More>
  );
}
