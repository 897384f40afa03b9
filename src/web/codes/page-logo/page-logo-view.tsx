import type { PageLogo } from '../../../codes/share-page.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { maxAltLength } from '../../../codes/code-rules.ts';
import { FileInput, type FormState, Input } from '../../ui/controls.tsx';
import { Form, Page } from '../../ui/layout.tsx';
import { Needs } from '../../ui/visitor.ts';
import { SaveButton } from '../save-button.tsx';

interface PageLogoProps {
  code: QrCode;
  form: FormState;
  stored: PageLogo | undefined;
}

export function PageLogoView({ code, form, stored }: PageLogoProps) {
  const path = `/codes/${code.id}/page-logo`;
  return (
    <Page
      title="Logo of the share page"
      at="/codes"
      styles={['codes']}
      back={[`/codes/${code.id}/edit`, 'Edit the code']}
      form={form}
    >
      <section class="card form page-logo">
        <p class="hint">Shown above the title of the page that a scan opens. Redirects show no page.</p>
        {stored && (
          <div class="shown-logo">
            <img src={`${path}/picture.png?v=${stored.logo.slice(0, 8)}`} alt={stored.alt} />
          </div>
        )}
        <Form action={path} hasFile>
          <FileInput
            form={form}
            name="logo"
            crops="free"
            label={stored ? 'Another logo' : 'Logo'}
            accept="image/png,image/jpeg,image/webp,image/svg+xml"
            hint="PNG, JPEG, WebP or SVG, up to 1 MB."
          />
          <Input
            form={form}
            name="alt"
            label="What it shows"
            required
            maxLength={maxAltLength}
            hint="Read to people who do not see it. Usually the name of your business."
          />
          <div class="row">
            <SaveButton>Save</SaveButton>
            {stored && (
              <Needs access="editor">
                <button type="submit" class="ghost danger" form="remove-logo">
                  Remove the logo
                </button>
              </Needs>
            )}
          </div>
        </Form>
      </section>
      {stored && <Form action={`${path}/delete`} id="remove-logo" />}
    </Page>
  );
}
