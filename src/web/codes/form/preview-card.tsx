import type { QrCode } from '../../../codes/qr-code.ts';
import type { SharePreview } from '../../../codes/share-page.ts';
import { colors } from '../../../theme.ts';
import { CheckBox, type FormState, Input } from '../../ui/controls.tsx';
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
  return (
    <p>
      Opens this address right away, without a page in between:
      <br />
      <bdi class="address">{shown.href}</bdi>
    </p>
  );
}

interface PreviewCardProps {
  shown: SharePreview;
  form: FormState;
  /** Undefined for a new one. */
  code: QrCode | undefined;
}

/** With the fields that only matter there. */
export function PreviewCard({ shown, form, code }: PreviewCardProps) {
  return (
    <section class="card">
      <h2>{title}</h2>
      <PhonePreview shown={shown} />
      {code && <input type="hidden" name="code" value={code.id} />}
      <PageFields form={form} logoPath={code && `/codes/${code.id}/page-logo`} />
    </section>
  );
}

/** How the page looks that a scan opens. Kept for types that redirect: the type may change again. */
function PageFields({ form, logoPath }: { form: FormState; logoPath?: string | undefined }) {
  const { values } = form;
  const color = values['pageColor'] ?? '';
  const colorForm = {
    ...form,
    values: { pageColor: color || colors.accent[0], hasPageColor: color === '' ? '' : 'on' },
  };
  return (
    <More form={form} title="Title and color of the page" names={['pageTitle', 'pageText', 'pageColor']}>
      <Input
        form={form}
        name="pageTitle"
        label="Title (public, optional)"
        hint="Shown to people who scan, instead of the name."
      />
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
      {logoPath && (
        <p>
          <a href={logoPath}>Logo of the page</a>
        </p>
      )}
    </More>
  );
}
