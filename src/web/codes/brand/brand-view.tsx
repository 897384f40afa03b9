import type { Brand } from '../../../codes/brand.ts';
import { CheckBox, FileInput, type FormState, Input } from '../../ui/controls.tsx';
import { Form, Page } from '../../ui/layout.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { KeptLogo } from '../design/design-fields.tsx';
import { SaveButton } from '../save-button.tsx';
import { Stage, type StageProps } from '../design/stage.tsx';

interface BrandProps {
  brand: Brand | undefined;
  form: FormState;
  /** A sample of a code. */
  stage: StageProps;
  /** The rest of its design, which the preview needs. */
  hidden: Record<string, string>;
}

/** The colors and the logo of an account, which every designer offers. */
export function BrandView({ brand, form, stage, hidden }: BrandProps) {
  const { assets } = useVisitor();
  return (
    <Page
      title="Brand"
      at="/codes/styles"
      styles={['codes']}
      back={['/codes/styles', 'All templates']}
      form={form}
    >
      <p class="hint brand-hint">
        Your colors and your logo, stored once. Designers of codes and templates offer them under “Your
        brand”, and new share pages offer your color.
      </p>
      <Form action="/codes/brand" class="design-form" hasFile>
        <div class="designer">
          <div class="design-controls">
            <section class="card">
              <h2>Colors of codes</h2>
              <div class="pair">
                <Input form={form} name="foregroundColor" label="Foreground" type="color" />
                <Input form={form} name="backgroundColor" label="Background" type="color" />
              </div>
            </section>
            <section class="card titled logo-fields">
              <h2>Logo</h2>
              <KeptLogo form={form} logo={brand?.logo ?? null} />
              <FileInput
                form={form}
                name="logo"
                crops="free"
                label="Logo"
                accept="image/png,image/jpeg,image/webp,image/svg+xml"
                hint="PNG, JPEG, WebP or SVG, up to 1 MB."
              />
            </section>
            <section class="card">
              <h2>Share pages</h2>
              <div class="switched">
                <CheckBox form={form} name="hasPageColor" label="A color for share pages" />
                <div>
                  <Input
                    form={form}
                    name="pageColor"
                    label="Color of share pages"
                    type="color"
                    hint="Made darker or lighter where it would be hard to read."
                  />
                </div>
              </div>
            </section>
          </div>
          <div class="design-side">
            {Object.entries(hidden).map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            <Stage {...stage} />
            <script type="module" src={`${assets}/codes/design/design.browser.js`} />
          </div>
        </div>
        <div class="form-end">
          <SaveButton>Save</SaveButton>
        </div>
      </Form>
    </Page>
  );
}
