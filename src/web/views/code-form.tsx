import { type CodeType, codeTypes, type QrCode } from '../../codes/qr-code.ts';
import { typeNames } from './code-types.ts';
import { ContentInputs } from './content-inputs.tsx';
import { type FormState, Input, Select } from './controls.tsx';
import { Notice } from './fields.tsx';
import { Form, Layout, type Visitor } from './layout.tsx';

export interface CodeFormProps {
  visitor: Visitor;
  type: CodeType;
  /** The code that is edited; absent for a new one. */
  code?: QrCode | undefined;
  isRaw: boolean;
  of: FormState;
  /** What keeps scanners from reading the picture. */
  warnings: string[];
  /** Where the picture of this look is drawn. */
  preview: string;
  done?: string | undefined;
}

export function CodeFormView(props: CodeFormProps) {
  const { visitor, type, code, isRaw, of, done } = props;
  const title = code ? 'Edit QR code' : 'New QR code';
  return (
    <Layout title={title} visitor={visitor} at="/codes">
      <h1>{title}</h1>
      {done && <Notice kind="good">{done}</Notice>}
      {of.faults.length > 0 && (
        <Notice kind="bad">It is not stored yet: see what is said beside the fields.</Notice>
      )}
      {!code && <TypeChooser at={type} />}
      <Form action={code ? `/codes/${code.id}/edit` : '/codes/new'} visitor={visitor} class="code-form">
        <div>
          <section class="card">
            <h2>{typeNames[type]}</h2>
            {!code && <input type="hidden" name="type" value={type} />}
            <ContentInputs type={type} isRaw={isRaw} of={of} />
          </section>
          <section class="card">
            <h2>Name and category</h2>
            <Input
              of={of}
              name="name"
              label="Name"
              hint="To find it by. The page that a scan opens may show it."
            />
            <Input of={of} name="category" label="Category (optional)" />
          </section>
        </div>
        <div>
          <Look {...props} />
          <div class="row">
            <button type="submit">{code ? 'Save changes' : 'Create QR code'}</button>
            <a class="button quiet" href={code ? `/codes/${code.id}` : '/codes'}>
              Cancel
            </a>
          </div>
        </div>
      </Form>
      <script type="module" src={`${visitor.assets}/code-form.js`} />
    </Layout>
  );
}

function TypeChooser({ at }: { at: CodeType }) {
  return (
    <nav class="types" aria-label="Type of the code">
      {codeTypes.map((type) => (
        <a key={type} href={`/codes/new?type=${type}`} aria-current={type === at ? 'true' : undefined}>
          {typeNames[type]}
        </a>
      ))}
    </nav>
  );
}

function Look({ of, code, preview, warnings }: CodeFormProps) {
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
        alt="Preview of the QR code"
      />
      <div id="warnings" role="status">
        {warnings.map((warning) => (
          <p key={warning} class="notice bad">
            {warning}
          </p>
        ))}
      </div>
      <div class="pair">
        <Input of={of} name="foregroundColor" label="Foreground" type="color" />
        <Input of={of} name="backgroundColor" label="Background" type="color" />
      </div>
      <Input
        of={of}
        name="size"
        label="Size in pixels"
        inputMode="numeric"
        hint="From 128 to 2048, both ways."
      />
      <Select
        of={of}
        name="errorCorrection"
        label="Error correction"
        choices={[
          ['L', 'Low: coarsest picture'],
          ['M', 'Medium'],
          ['Q', 'High'],
          ['H', 'Highest: readable with stains'],
        ]}
      />
    </section>
  );
}

export function DeleteCodeView({ visitor, code, of }: { visitor: Visitor; code: QrCode; of: FormState }) {
  return (
    <Layout title="Delete QR code" visitor={visitor} at="/codes">
      <section class="card narrow danger">
        <h1>Delete QR code</h1>
        <p>
          Delete{' '}
          <strong>
            <bdi>{code.name}</bdi>
          </strong>
          ? Its scans and counts go with it, and printed codes lead nowhere from now on. It cannot be undone.
        </p>
        <Form action={`/codes/${code.id}/delete`} visitor={visitor}>
          <Input of={of} name="confirmation" label="Type the name of the code to confirm" />
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
