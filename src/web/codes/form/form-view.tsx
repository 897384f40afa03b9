import { isEndOfDay } from '../../../codes/lifetime.ts';
import { type CodeType, codeTypes, contentType } from '../../../codes/content/content-types.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { opensFile } from '../../../codes/files/upload.ts';
import type { SharePreview } from '../../../codes/share-page.ts';
import { ContentInputs } from './content-inputs.tsx';
import { PreviewCard } from './preview-card.tsx';
import { SizeFields } from './print-size.tsx';
import { type FormState, Input } from '../../ui/controls.tsx';
import { timeInWords } from '../../ui/time.tsx';
import { Form, Layout, Notice } from '../../ui/layout.tsx';
import type { Visitor } from '../../ui/visitor.ts';

export interface CodeFormProps {
  visitor: Visitor;
  type: CodeType;
  /** The code being edited; undefined for a new one. */
  code?: QrCode | undefined;
  isRaw: boolean;
  form: FormState;
  /** Why scanners may not read the picture. */
  warnings: string[];
  /** URL of the picture in this design. */
  preview: string;
  /** What a scan would show. */
  shown: SharePreview;
  /** Opened right after the code was duplicated. */
  isCopy: boolean;
  /** A copy without the design of the first code. */
  isPlainCopy: boolean;
  /** Why it was not saved. */
  error?: string | undefined;
  /** Identifies the values that the form was opened with: see edit-merge.ts. */
  version?: string | undefined;
}

export function CodeFormView(props: CodeFormProps) {
  const { visitor, type, code, isRaw, form, isCopy, error, version } = props;
  const title = code ? 'Edit code' : 'New code';
  const back = code ? `/codes/${code.id}` : '/codes';
  return (
    <Layout title={error || form.saved ? `Error: ${title}` : title} at="/codes" styles={['codes']}>
      <a class="back" href={back}>
        {code ? '← Back to the code' : '← All QR codes'}
      </a>
      <h1>{title}</h1>
      {isCopy && !error && !form.saved && (
        <Notice kind="good">
          Copied{props.isPlainCopy && ' without its design, which could not be proven for the new link'}.
          Change it and save, or delete it.
        </Notice>
      )}
      {error && (
        <Notice kind="bad" isFocused>
          {error}
        </Notice>
      )}
      {form.saved && (
        <Notice kind="bad" isFocused>
          Not saved. This code was changed elsewhere since you opened the form. Your version is below, with
          the saved value at each field that differs. <a href={back}>See the newer version</a>
        </Notice>
      )}
      <TypeChooser at={type} path={code ? `/codes/${code.id}/edit` : '/codes/new'} />
      <Form
        action={code ? `/codes/${code.id}/edit${isCopy ? '?copied' : ''}` : '/codes/new'}
        class="code-form"
        isChecked
      >
        <div>
          <section class="card">
            <h2>Content{code && ` (${contentType(type).name})`}</h2>
            {code && code.type !== type && (
              <p class="hint">
                Was {contentType(code.type).name}. The printed code stays the same and opens the new content.
              </p>
            )}
            <input type="hidden" name="type" value={type} />
            {version && <input type="hidden" name="version" value={version} />}
            <ContentInputs type={type} isRaw={isRaw} form={form} />
            {code?.type === type && <UploadHint code={code} />}
          </section>
          <section class="card">
            <h2>Name and end</h2>
            <Input
              form={form}
              name="name"
              label="Name"
              hint="Helps you find the code. The page that a scan opens may show it too."
            />
            <div class="row">
              <Input form={form} name="category" label="Category (optional)" />
              <Input
                form={form}
                name="lastDay"
                label="Last day (optional)"
                type="date"
                hint={lastDayHint(props)}
              />
            </div>
            <AfterEnd form={form} />
          </section>
        </div>
        <div>
          <PreviewCard shown={props.shown} form={form} code={props.code} />
          <DesignFields {...props} />
        </div>
        <div class="row form-end">
          <button type="submit">
            {form.saved ? 'Replace the newer version' : code ? 'Save changes' : 'Create QR code'}
          </button>
          <a class="button quiet" href={back}>
            {isCopy ? 'Keep it as it is' : 'Cancel'}
          </a>
          {isCopy && (
            <a class="button quiet danger" href={`${back}/delete`}>
              Delete it
            </a>
          )}
        </div>
      </Form>
      <script type="module" src={`${visitor.assets}/codes/form/form.browser.js`} />
      {contentType(type).form.parts.some((part) => 'linkRows' in part) && (
        <script type="module" src={`${visitor.assets}/codes/form/social.browser.js`} />
      )}
      <script type="module" src={`${visitor.assets}/codes/form/preview.browser.js`} />
      <script type="module" src={`${visitor.assets}/codes/form/print-size.browser.js`} />
    </Layout>
  );
}

/** Files have pages of their own. */
function UploadHint({ code }: { code: QrCode }) {
  if (code.type === 'vcard')
    return (
      <p class="hint">
        <a href={`/codes/${code.id}/photo`}>Add or change the photo</a>
      </p>
    );
  if (!opensFile(code)) return null;
  return (
    <p class="hint">
      A scan opens an uploaded file. <a href={`/codes/${code.id}/file`}>Replace it</a>, or enter another
      address, which deletes it.
    </p>
  );
}

/** Closed where it is not used, so that the buttons stay in view. */
function AfterEnd({ form }: { form: FormState }) {
  const isUsed = [form.values, form.saved ?? {}].some((values) => values['afterExpiryUrl']);
  return (
    <details open={isUsed || form.errors.some(({ field }) => field === 'afterExpiryUrl')}>
      <summary>After the end</summary>
      <Input
        form={form}
        name="afterExpiryUrl"
        label="Page to open (optional)"
        inputMode="url"
        hint="Such as example.com/next-year. Without one, scanners see that the code has expired."
      />
    </details>
  );
}

function lastDayHint({ code, form, visitor: { locale } }: CodeFormProps): string {
  if (!code || form.values['lastDay'] === '') return 'Empty: the code works as long as it is used.';
  // Only a day that is chosen here moves the end to midnight; an end set by the API stays to the minute.
  const end = isEndOfDay(code.expiresAt)
    ? 'through the end of this day (UTC)'
    : `until ${timeInWords(code.expiresAt, locale)} on this day`;
  return `The code works ${end}. Choose a later day to renew it, or none: it then works as long as it is used.`;
}

/** form.browser.js sends along what was typed, except to the page of a file. */
export function TypeChooser({ at, path }: { at: CodeType | 'file'; path: string }) {
  return (
    <nav class="types" aria-label="Type of the code">
      {codeTypes.map((type) => (
        <a key={type} href={`${path}?type=${type}`} data-type aria-current={type === at ? 'true' : undefined}>
          {contentType(type).name}
        </a>
      ))}
      <a href={path.replace(/(?:\/edit)?$/, '/file')} aria-current={at === 'file' ? 'true' : undefined}>
        File
      </a>
    </nav>
  );
}

function DesignFields({ form, type, code, preview, warnings }: CodeFormProps) {
  return (
    <section class="card">
      <h2>Picture</h2>
      <img
        class="preview"
        id="preview"
        src={preview}
        data-code={code?.id}
        width="200"
        height="200"
        alt={code ? 'Preview of the QR code' : 'Sample of a QR code in these colors'}
      />
      <p class="hint">
        {!code && 'This is a sample: the code gets its own picture when you create it. '}
        {contentType(type).shown?.direct?.pictureHint ??
          'The picture holds the share link, not the content. It stays the same when you change the content, even after printing.'}
        {code && (
          <>
            {' '}
            <a href={`/codes/${code.id}/design`}>Change its shapes or add a frame</a>
          </>
        )}
      </p>
      <div class="pair">
        <Input form={form} name="foregroundColor" label="Foreground" type="color" />
        <Input form={form} name="backgroundColor" label="Background" type="color" />
      </div>
      {/* Below the colors, so that they do not move when a warning appears. */}
      <div id="warnings" role="status">
        {warnings.map((warning) => (
          <p key={warning} class="notice bad">
            {warning}
          </p>
        ))}
      </div>
      <SizeFields form={form} />
    </section>
  );
}

export function DeleteCodeView({ code, form }: { code: QrCode; form: FormState }) {
  return (
    <Layout title="Delete QR code" at="/codes" styles={['codes']}>
      <section class="card narrow danger">
        <h1>Delete QR code</h1>
        <p>
          Delete{' '}
          <strong>
            <bdi>{code.name}</bdi>
          </strong>
          ? Its scans are deleted too, and printed copies stop working. This cannot be undone.
        </p>
        <Form action={`/codes/${code.id}/delete`}>
          <Input form={form} name="confirmation" label="Type the name of the code to confirm" />
          <div class="row">
            <button type="submit" class="danger">
              Delete
            </button>
            <a class="button quiet" href={`/codes/${code.id}`}>
              Keep it
            </a>
          </div>
        </Form>
      </section>
    </Layout>
  );
}
