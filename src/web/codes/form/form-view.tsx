import { isEndOfDay } from '../../../codes/lifetime.ts';
import { type CodeType, contentType } from '../../../codes/content/content-types.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import type { CodeFile } from '../../../codes/files/stored-file.ts';
import { undoDays } from '../../../codes/undo-period.ts';
import { opensFile } from '../../../codes/files/upload.ts';
import type { SharePreview } from '../../../codes/share-page.ts';
import { ContentInputs } from './content-inputs.tsx';
import { PageFields, PreviewCard } from './preview-card.tsx';
import { TypeChooser } from './type-chooser.tsx';
import { CodeTabs } from '../code-tabs.tsx';
import { SaveButton } from '../save-button.tsx';
import { shownTypeOf, typeName } from '../shown-type.tsx';
import { type FormState, Input } from '../../ui/controls.tsx';
import { timeInWords } from '../../ui/time.tsx';
import { DayPresets, endPresets } from '../../ui/day-presets.tsx';
import { Back, Confirmation, Form, Layout, Notice } from '../../ui/layout.tsx';
import type { Visitor } from '../../ui/visitor.ts';

interface CodeFormProps {
  visitor: Visitor;
  type: CodeType;
  code: QrCode;
  isRaw: boolean;
  form: FormState;
  /** What a scan would show. */
  shown: SharePreview;
  /** Opened right after the code was duplicated. */
  isCopy: boolean;
  /** A copy without the design of the first code. */
  isPlainCopy: boolean;
  /** The file that saving would remove, which needs to be confirmed. */
  lost?: CodeFile | undefined;
  /** Why it was not saved. */
  error?: string | undefined;
  /** Identifies the values that the form was opened with: see edit-merge.ts. */
  version?: string | undefined;
}

/** What an existing code opens, and what it is called. How it looks is changed in the designer. */
export function CodeFormView(props: CodeFormProps) {
  const { visitor, type, code, isRaw, form, isCopy, error, version, lost } = props;
  const title = 'Edit code';
  const back = `/codes/${code.id}`;
  const shown = code.type === type ? shownTypeOf(code) : type;
  return (
    <Layout title={error || form.saved ? `Error: ${title}` : title} at="/codes" styles={['codes']}>
      <Back href={back}>Back to the code</Back>
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
      <CodeTabs code={code} at="edit" />
      <TypeChooser at={shown} path={`/codes/${code.id}/edit`} />
      <Form action={`/codes/${code.id}/edit${isCopy ? '?copied' : ''}`} class="code-form" isChecked>
        <div>
          <section class="card">
            <h2>Content ({typeName(shown)})</h2>
            {code.type !== type && (
              <p class="hint">
                Was {typeName(shownTypeOf(code))}. The printed code stays the same and opens the new content.
              </p>
            )}
            <input type="hidden" name="type" value={type} />
            {version && <input type="hidden" name="version" value={version} />}
            {lost && <input type="hidden" name="removesFile" value={lost.id} />}
            <ContentInputs type={type} isRaw={isRaw} form={form} />
            {code.type === type && <UploadHint code={code} />}
          </section>
          <NameFields form={form} expiryHint={expiryHint(props)} />
        </div>
        <div>
          <PreviewCard shown={props.shown}>
            <input type="hidden" name="code" value={code.id} />
            <PageFields form={form}>
              <p>
                <a href={`/codes/${code.id}/page-logo`}>Logo of the page</a>
              </p>
            </PageFields>
          </PreviewCard>
        </div>
        <div class="row form-end">
          <SaveButton>
            {form.saved
              ? 'Replace the newer version'
              : lost
                ? `Save and remove the ${lost.kind}`
                : 'Save changes'}
          </SaveButton>
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
      <FormScripts visitor={visitor} type={type} />
    </Layout>
  );
}

/** The scripts of every form with content. */
export function FormScripts({ visitor: { assets }, type }: { visitor: Visitor; type: CodeType }) {
  return (
    <>
      <script type="module" src={`${assets}/codes/form/form.browser.js`} />
      {contentType(type).form.parts.some((part) => 'linkRows' in part) && (
        <script type="module" src={`${assets}/codes/form/social.browser.js`} />
      )}
      <script type="module" src={`${assets}/codes/form/preview.browser.js`} />
    </>
  );
}

/** What a code is called, and when it expires. */
export function NameFields({ form, expiryHint: hint }: { form: FormState; expiryHint: string }) {
  return (
    <section class="card">
      <h2>Name and expiration</h2>
      <div class="row">
        <Input form={form} name="name" label="Name" hint="Helps you find the code." />
        <Input
          form={form}
          name="pageTitle"
          label="Public title (optional)"
          hint="For people who scan, and on prints."
        />
      </div>
      <Input form={form} name="category" label="Category (optional)" />
      <Input form={form} name="lastDay" label="Expires (optional)" type="date" hint={hint} />
      <DayPresets label="When it expires" names={['lastDay']} presets={endPresets} />
      <AfterExpiry form={form} />
    </section>
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
      address: then the file is removed, which you can undo for {undoDays} days.
    </p>
  );
}

/** Closed where it is not used. */
function AfterExpiry({ form }: { form: FormState }) {
  const isUsed = [form.values, form.saved ?? {}].some((values) => values['afterExpiryUrl']);
  return (
    <details open={isUsed || form.errors.some(({ field }) => field === 'afterExpiryUrl')}>
      <summary>After it expires</summary>
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

export const noExpiryHint = 'Empty: the code works as long as it is used.';

function expiryHint({ code, form, visitor: { locale } }: CodeFormProps): string {
  if (form.values['lastDay'] === '') return noExpiryHint;
  // Only a day that is chosen here moves the end to midnight; an end set by the API stays to the minute.
  const end = isEndOfDay(code.expiresAt)
    ? 'through the end of this day (UTC)'
    : `until ${timeInWords(code.expiresAt, locale)} on this day`;
  const advice = 'Choose a later day to renew it, or none: it then works as long as it is used.';
  const isRefused = form.errors.some(({ field }) => field === 'lastDay');
  return isRefused ? advice : `The code works ${end}. ${advice}`;
}

export function DeleteCodeView({ code }: { code: QrCode }) {
  return (
    <Confirmation
      title="Move to the trash"
      at="/codes"
      action={`/codes/${code.id}/delete`}
      button="Move to trash"
      keep={`/codes/${code.id}`}
    >
      Move{' '}
      <strong>
        <bdi>{code.name}</bdi>
      </strong>{' '}
      to the trash? Its share link stops working at once, also where it is printed. For {undoDays} days you
      can restore it from the trash, with its scans.
    </Confirmation>
  );
}
