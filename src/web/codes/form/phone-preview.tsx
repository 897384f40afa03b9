import type { QrCode } from '../../../codes/qr-code.ts';
import type { SharePreview } from '../../../codes/share-page.ts';
import type { FormState } from '../../ui/controls.tsx';
import { PageFields } from './page-fields.tsx';

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
