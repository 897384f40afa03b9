import { maxFileBytes, opensFile } from '../../../codes/files/upload.ts';
import { type CodeFile, type FileKind, megabytes } from '../../../codes/files/stored-file.ts';
import type { RemovedFile } from '../../../codes/files/removed-file.ts';
import { undoDays, undoableUntil } from '../../../codes/undo-period.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { bytesPerMb } from '../../../runtime/units.ts';
import { FileInput, type FormState, Input } from '../../ui/controls.tsx';
import { IconTile } from '../../ui/empty.tsx';
import { Confirmation, Form, Page } from '../../ui/layout.tsx';
import { Needs, useVisitor } from '../../ui/visitor.ts';
import { SaveButton } from '../save-button.tsx';
import { Moment } from '../../ui/time.tsx';
import type { DesignerPictures } from '../design/designer.tsx';
import { DayPresets, endPresets } from '../../ui/day-presets.tsx';
import { noExpiryHint } from '../form/form-view.tsx';
import { CreateButtons, DesignStep, NotInDemo, Steps } from '../form/create-view.tsx';
import { TypeChooser } from '../form/type-chooser.tsx';

interface Usage {
  usedBytes: number;
  quotaBytes: number;
}

interface NewFileProps {
  form: FormState;
  usage: Usage;
}

/** A new code that opens a file, and how it looks. */
export function NewFileView({ form, usage, ...designer }: NewFileProps & DesignerPictures) {
  return (
    <Page title="New code" at="/codes" styles={['codes']} back={['/codes', 'All QR codes']} form={form}>
      <Steps at={1} />
      <NotInDemo />
      <TypeChooser at="file" path="/codes/new" />
      <Form action="/codes/new/file" class="upload-form design-form create-form" hasFile focusesFirst>
        {/* Seen above, as the first step. */}
        <h2 class="unseen" id="opens">
          What it opens
        </h2>
        <div class="designer">
          <div class="content-fields">
            <section class="card">
              <UploadFields kind="file" form={form} usage={usage} label="File" />
            </section>
            <section class="card">
              <h2>Name and expiration</h2>
              <div class="row">
                <Input
                  form={form}
                  name="name"
                  label="Name of the code (optional)"
                  hint="Without one, it gets the name of the file."
                />
                <Input form={form} name="category" label="Category (optional)" />
              </div>
              <Input form={form} name="lastDay" label="Expires (optional)" type="date" hint={noExpiryHint} />
              <DayPresets label="When it expires" names={['lastDay']} presets={endPresets} />
            </section>
          </div>
          <section class="card phone-card content-side">
            <h2>What people see after scanning</h2>
            <div class="phone">
              <div class="file-sketch">
                <IconTile name="file-text" />
              </div>
              <p>
                A menu, a price list, a manual: the file opens right away. You can replace it after printing.
              </p>
            </div>
          </section>
        </div>
        <DesignStep {...designer} form={form} path="/codes/new/file" />
        <CreateButtons />
      </Form>
      <Script />
    </Page>
  );
}

interface CodeFileProps extends NewFileProps {
  code: QrCode;
  kind: FileKind;
  file: CodeFile | undefined;
  removed: RemovedFile | undefined;
}

const titles: Record<FileKind, string> = { file: 'File', photo: 'Photo' };

/** The file or photo of a code: see it, replace it, remove it. */
export function CodeFileView({ code, kind, file, removed, form, usage }: CodeFileProps) {
  const title = titles[kind];
  const path = `/codes/${code.id}/${kind}`;
  return (
    <Page
      title={title}
      at="/codes"
      styles={['codes']}
      back={[`/codes/${code.id}`, 'Back to the code']}
      heading={
        <h1>
          {title} of <bdi>{code.name}</bdi>
        </h1>
      }
      form={form}
    >
      {file ? (
        <Current code={code} kind={kind} file={file} path={path} />
      ) : (
        <Missing code={code} kind={kind} />
      )}
      {removed && <Removed removed={removed} path={path} />}
      <Form action={path} class="upload-form card form" hasFile>
        <UploadFields kind={kind} form={form} usage={usage} label={title} />
        <SaveButton>{file ? 'Replace' : 'Upload'}</SaveButton>
      </Form>
      <Script />
    </Page>
  );
}

interface CurrentProps {
  code: QrCode;
  kind: FileKind;
  file: CodeFile;
  path: string;
}

function Current({ code, kind, file, path }: CurrentProps) {
  const address = `/f/${code.shareToken}/${encodeURIComponent(file.name)}?${file.id}`;
  return (
    <section class="card form current-file">
      {kind === 'photo' && code.isPublic ? (
        <img class="contact-photo" src={address} width="96" height="96" alt="The photo" />
      ) : (
        <IconTile name="file-text" />
      )}
      <p>
        {code.isPublic ? (
          <a href={address}>
            <bdi>{file.name}</bdi>
          </a>
        ) : (
          <bdi>{file.name}</bdi>
        )}
        <span class="hint">
          {fileSize(file.bytes)}, uploaded <Moment at={file.updatedAt} />
        </span>
      </p>
      <Needs access="editor">
        <a class="button ghost danger" href={`${path}/delete`} data-dialog>
          Remove
        </a>
      </Needs>
    </section>
  );
}

function Removed({ removed, path }: { removed: RemovedFile; path: string }) {
  return (
    <section class="card form">
      <p>
        <bdi>{removed.name}</bdi>, {fileSize(removed.bytes)}, was removed <Moment at={removed.removedAt} />.
        It is kept until <Moment at={undoableUntil(removed.removedAt)} show="day" />, or until your other
        files need its space.
      </p>
      <Needs access="editor">
        <Form action={`${path}/restore`}>
          <button type="submit" class="quiet">
            Restore
          </button>
        </Form>
      </Needs>
    </section>
  );
}

/** Asks before a file or photo is removed. */
export function RemoveFileView({ code, kind, file }: { code: QrCode; kind: FileKind; file: CodeFile }) {
  const path = `/codes/${code.id}/${kind}`;
  return (
    <Confirmation
      title={`Remove the ${kind}`}
      at="/codes"
      action={`${path}/delete`}
      button="Remove"
      keep={path}
    >
      Remove{' '}
      <strong>
        <bdi>{file.name}</bdi>
      </strong>{' '}
      from <bdi>{code.name}</bdi>?{' '}
      {kind === 'file'
        ? 'From then on, people who scan the code see that it has no file.'
        : 'The share page and saved contacts have no photo from then on.'}{' '}
      You can undo this for {undoDays} days.
    </Confirmation>
  );
}

function fileSize(bytes: number): string {
  return bytes < bytesPerMb ? `${Math.ceil(bytes / 1024)} KB` : `${megabytes(bytes)} MB`;
}

function Missing({ code, kind }: { code: QrCode; kind: FileKind }) {
  if (kind === 'photo') return <p class="hint">The contact has no photo yet.</p>;
  return (
    <p class="hint">
      {opensFile(code)
        ? 'The file was removed: a scan shows a page that says so. Upload another one, or edit the code to lead elsewhere.'
        : 'A file replaces what the code opens now. The printed code stays the same.'}
    </p>
  );
}

interface UploadProps {
  kind: FileKind;
  form: FormState;
  usage: Usage;
  label: string;
}

/** file.browser.js adds the size of the choice and the progress. */
function UploadFields({ kind, form, usage: { usedBytes, quotaBytes }, label }: UploadProps) {
  const images = 'image/png,image/jpeg,image/webp';
  return (
    <div class="upload" data-max={maxFileBytes}>
      <FileInput
        form={form}
        name={kind}
        label={label}
        crops={kind === 'photo' ? 'square' : undefined}
        accept={kind === 'file' ? `application/pdf,${images}` : images}
        hint={
          kind === 'file'
            ? `PDF, PNG, JPEG or WebP, up to ${megabytes(maxFileBytes)} MB. Your files use ${megabytes(usedBytes)} of ${megabytes(quotaBytes)} MB.`
            : `PNG, JPEG or WebP, up to ${megabytes(maxFileBytes)} MB. Its middle is shown, as a circle.`
        }
      />
    </div>
  );
}

function Script() {
  const { assets } = useVisitor();
  return <script type="module" src={`${assets}/codes/file/file.browser.js`} />;
}
