import type { PageLogo } from '../../../codes/share-page.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { maxAltLength } from '../../../codes/code-rules.ts';
import { FileInput, type FormState, Input } from '../../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../../ui/layout.tsx';
import { Notice } from '../../ui/notice.tsx';

interface PageLogoProps {
  visitor: Visitor;
  code: QrCode;
  form: FormState;
  stored: PageLogo | undefined;
  /** Why it was not saved. */
  problem?: string | undefined;
  flash?: string | undefined;
}

export function PageLogoView({ visitor, code, form, stored, problem, flash }: PageLogoProps) {
  const title = 'Logo of the share page';
  const path = `/codes/${code.id}/page-logo`;
  return (
    <Layout title={problem ? `Error: ${title}` : title} visitor={visitor} at="/codes" styles={['codes']}>
      <a class="back" href={`/codes/${code.id}/edit`}>
        ← Edit the code
      </a>
      <h1>{title}</h1>
      {problem && (
        <Notice kind="bad" isFocused>
          {problem}
        </Notice>
      )}
      {flash && <Notice kind="good">{flash}</Notice>}
      <section class="card page-logo">
        <p class="hint">Shown above the title of the page that a scan opens. Redirects show no page.</p>
        {stored && <img src={`${path}/picture.png?v=${stored.logo.slice(0, 8)}`} alt={stored.alt} />}
        <Form action={path} class="design-form" hasFile>
          <FileInput
            form={form}
            name="logo"
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
          <button type="submit">Save</button>
        </Form>
        {stored && (
          <Form action={`${path}/delete`}>
            <button type="submit" class="quiet danger">
              Remove the logo
            </button>
          </Form>
        )}
      </section>
    </Layout>
  );
}
