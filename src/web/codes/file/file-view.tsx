import { maxFileBytes, opensFile } from '../../../codes/files/upload.ts';
import { type CodeFile, type FileKind, megabytes } from '../../../codes/files/stored-file.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { bytesPerMb } from '../../../runtime/units.ts';
import { FileInput, type FormState, Input } from '../../ui/controls.tsx';
import { Form, Page } from '../../ui/layout.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { Moment } from '../../ui/time.tsx';
import { TypeChooser } from '../form/form-view.tsx';

interface Usage {
  usedBytes: number;
  quotaBytes: number;
}

interface NewFileProps {
  form: FormState;
  usage: Usage;
}

/** A new code that opens a file. */
export function NewFileView({ form, usage }: NewFileProps) {
  return (
    <Page title="New code" at="/codes" styles={['codes']} back={['/codes', '← All QR codes']} form={form}>
      <TypeChooser at="file" path="/codes/new" />
      <Form action="/codes/new/file" class="upload-form" hasFile>
        <section class="card">
          <h2>File</h2>
          <p class="hint">
            A menu, a price list, a manual: a scan opens it. You can replace it after printing.
          </p>
          <UploadFields kind="file" form={form} usage={usage} label="File" />
          <Input
            form={form}
            name="name"
            label="Name of the code (optional)"
            hint="Helps you find the code. Without one, it gets the name of the file."
          />
        </section>
        <div class="row form-end">
          <button type="submit">Create QR code</button>
          <a class="button quiet" href="/codes">
            Cancel
          </a>
        </div>
      </Form>
      <Script />
    </Page>
  );
}

interface CodeFileProps extends NewFileProps {
  code: QrCode;
  kind: FileKind;
  file: CodeFile | undefined;
}

const titles: Record<FileKind, string> = { file: 'File', photo: 'Photo' };

/** The file or photo of a code: see it, replace it, remove it. */
export function CodeFileView({ code, kind, file, form, usage }: CodeFileProps) {
  const title = titles[kind];
  const path = `/codes/${code.id}/${kind}`;
  return (
    <Page
      title={title}
      at="/codes"
      styles={['codes']}
      back={[`/codes/${code.id}`, '← Back to the code']}
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
      <Form action={path} class="upload-form" hasFile>
        <section class="card">
          <h2>{file ? 'Replace it' : 'Upload'}</h2>
          <UploadFields kind={kind} form={form} usage={usage} label={title} />
        </section>
        <div class="row form-end">
          <button type="submit">{file ? 'Replace' : 'Upload'}</button>
        </div>
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
    <section class="card">
      {kind === 'photo' && code.isPublic && (
        <img class="contact-photo" src={address} width="128" height="128" alt="The photo" />
      )}
      <p>
        {code.isPublic ? (
          <a href={address}>
            <bdi>{file.name}</bdi>
          </a>
        ) : (
          <bdi>{file.name}</bdi>
        )}
        , {fileSize(file.bytes)}, uploaded <Moment at={file.updatedAt} />
      </p>
      <Form action={`${path}/delete`}>
        <button type="submit" class="quiet danger">
          Remove
        </button>
      </Form>
    </section>
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

/** file.browser.js adds dropping, the name and size of the choice, and the progress. */
function UploadFields({ kind, form, usage: { usedBytes, quotaBytes }, label }: UploadProps) {
  const images = 'image/png,image/jpeg,image/webp';
  return (
    <div class="drop" data-max={maxFileBytes}>
      <FileInput
        form={form}
        name={kind}
        label={label}
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
