import type { ComponentChildren } from 'preact';
import { maxAltLength } from '../../../codes/code-rules.ts';
import type { CodeType } from '../../../codes/content/content-types.ts';
import type { SharePreview } from '../../../codes/share-page.ts';
import { FileInput, type FormState, Input } from '../../ui/controls.tsx';
import { Form, Page } from '../../ui/layout.tsx';
import { useVisitor, type Visitor } from '../../ui/visitor.ts';
import { DesignerBody, type DesignerPictures } from '../design/designer.tsx';
import { SaveButton } from '../save-button.tsx';
import { ContentInputs } from './content-inputs.tsx';
import { FormScripts, NameFields, noExpiryHint } from './form-view.tsx';
import { PageFields, PreviewCard } from './preview-card.tsx';
import { TypeChooser } from './type-chooser.tsx';

interface NewCodeProps extends DesignerPictures {
  visitor: Visitor;
  type: CodeType;
  form: FormState;
  /** What a scan would show. */
  shown: SharePreview;
  /** The brand's, for share pages. */
  pageColor: string | undefined;
}

const images = 'image/png,image/jpeg,image/webp';

/** What a new code opens and how it looks. The next page has it to download. */
export function NewCodeView({ visitor, type, form, shown, pageColor, ...designer }: NewCodeProps) {
  return (
    <Page title="New code" at="/codes" styles={['codes']} back={['/codes', 'All QR codes']} form={form}>
      <Steps at={1} />
      <NotInDemo />
      <TypeChooser at={type} path="/codes/new" />
      <Form action="/codes/new" class="code-form design-form create-form" isChecked hasFile focusesFirst>
        {/* Seen above, as the first step. */}
        <h2 class="unseen" id="opens">
          What it opens
        </h2>
        <div class="designer">
          <div class="content-fields">
            <section class="card">
              <input type="hidden" name="type" value={type} />
              <ContentInputs type={type} isRaw={false} form={form} />
              {type === 'vcard' && (
                <FileInput
                  form={form}
                  name="photo"
                  crops="square"
                  label="Photo (optional)"
                  accept={images}
                  hint="PNG, JPEG or WebP, up to 10 MB. Its middle is shown, as a circle."
                />
              )}
            </section>
            <NameFields form={form} expiryHint={noExpiryHint} />
          </div>
          <div class="content-side">
            <PreviewCard shown={shown}>
              <PageFields form={form} initialColor={pageColor}>
                <FileInput
                  form={form}
                  name="pageLogo"
                  crops="free"
                  label="Logo of the page (optional)"
                  accept={`${images},image/svg+xml`}
                  hint="PNG, JPEG, WebP or SVG, up to 1 MB."
                />
                <Input
                  form={form}
                  name="pageLogoAlt"
                  label="What the logo shows (optional)"
                  maxLength={maxAltLength}
                  hint="Read to people who do not see it. Usually the name of your business."
                />
              </PageFields>
            </PreviewCard>
          </div>
        </div>
        <DesignStep {...designer} form={form} path={`/codes/new?type=${type}`} />
        <CreateButtons />
      </Form>
      <FormScripts visitor={visitor} type={type} />
    </Page>
  );
}

/** The second step of every form for a new code. */
export function DesignStep({
  form,
  path,
  ...designer
}: DesignerPictures & { form: FormState; path: string }) {
  return (
    <>
      <h2 class="step" id="looks">
        How it looks
      </h2>
      <DesignerBody {...designer} form={form} path={path} isCollapsed />
    </>
  );
}

/** Before somebody fills in the form: what they make here cannot be saved. */
export function NotInDemo() {
  const { isDemo, canSignUp } = useVisitor();
  if (!isDemo) return null;
  return (
    <p class="notice">
      Try everything: the previews work. The demo saves no codes
      {canSignUp ? (
        <>
          {' '}
          – <a href="/signup">sign up</a> to create your own.
        </>
      ) : (
        '.'
      )}
    </p>
  );
}

export function CreateButtons() {
  return (
    <div class="form-end">
      <SaveButton>Create QR code</SaveButton>
      <a class="button quiet" href="/codes">
        Cancel
      </a>
    </div>
  );
}

const steps: [ComponentChildren, string?][] = [
  ['What it opens', '#opens'],
  ['How it looks', '#looks'],
  ['Download'],
];

/** How far somebody is with a new code. The first two steps are on one page. */
export function Steps({ at }: { at: 1 | 3 }) {
  return (
    <ol class="steps" aria-label="Steps">
      {steps.map(([name, href], index) => (
        <li
          key={name}
          aria-current={index + 1 === at ? 'step' : undefined}
          class={index + 1 < at ? 'done' : undefined}
        >
          {href && at === 1 ? <a href={href}>{name}</a> : name}
        </li>
      ))}
    </ol>
  );
}
