import type { ComponentChildren } from 'preact';
import { maxFrameTextLength } from '../../../codes/design/design.ts';
import { frameTexts } from '../../../codes/design/frame-texts.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import type { Style } from '../../../codes/styles/style.ts';
import { CheckBox, FileInput, type FormState, Input, Select } from '../../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../../ui/layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { maxStyleNameLength } from '../styles/style-name.ts';
import { StyleImage } from '../styles/styles-view.tsx';

interface DesignViewProps {
  visitor: Visitor;
  code: QrCode;
  form: FormState;
  /** Why it was not saved. */
  problem?: string | undefined;
  flash?: string | undefined;
  /** Of the saved design, as a sentence. */
  proof: string | null;
  hasDesign: boolean;
  hasLogo: boolean;
  preview: string;
  presets: { key: string; name: string; picture: string }[];
  styles: Style[];
}

type Choices = [value: string, text: string][];

const moduleShapes: Choices = [
  ['square', 'Squares'],
  ['rounded', 'Rounded'],
  ['dots', 'Dots'],
  ['diamond', 'Diamonds'],
  ['bars', 'Bars'],
];
const eyeFrameShapes: Choices = [
  ['square', 'Square'],
  ['rounded', 'Rounded'],
  ['cut', 'Cut corners'],
  ['leaf', 'Leaf'],
];
const eyeBallShapes: Choices = [
  ['square', 'Square'],
  ['rounded', 'Rounded'],
  ['circle', 'Circle'],
  ['leaf', 'Leaf'],
  ['octagon', 'Octagon'],
];
const frameShapes: Choices = [
  ['none', 'None'],
  ['band', 'Border with a band'],
  ['bubble', 'Speech bubble'],
  ['card', 'Card'],
];

export function DesignView(props: DesignViewProps) {
  const { visitor, code, form, problem, flash, proof, hasDesign, hasLogo, preview } = props;
  const title = 'Design';
  const path = `/codes/${code.id}/design`;
  return (
    <Layout title={problem ? `Error: ${title}` : title} visitor={visitor} at="/codes" styles={['codes']}>
      <a class="back" href={`/codes/${code.id}`}>
        ← Back to the code
      </a>
      <h1>
        Design of <bdi>{code.name}</bdi>
      </h1>
      <p class="hint">
        Before a design is saved, two QR code readers try it as a phone camera would see it. If they cannot
        read it, it is not saved, and this page says what to change.
      </p>
      {problem ? (
        <Notice kind="bad" isFocused>
          {problem}
        </Notice>
      ) : (
        (flash || proof) && <Notice kind="good">{[flash, proof].filter(Boolean).join(' ')}</Notice>
      )}
      <Presets {...props} />
      <Styles {...props} />
      <Form action={path} class="code-form design-form" hasFile>
        <input type="hidden" name="styleId" value={form.values['styleId'] ?? ''} />
        <div>
          <ShapeFields form={form} />
          <ColorFields code={code} form={form} />
          <FrameFields form={form} />
          <LogoFields form={form} hasLogo={hasLogo} />
        </div>
        <div class="design-picture">
          <section class="card">
            <h2>Preview</h2>
            <img
              class="preview"
              id="design-preview"
              src={preview}
              width="240"
              alt="Preview of the QR code in this design"
            />
          </section>
        </div>
        <div class="row form-end">
          <button type="submit">Check and save</button>
          <a class="button quiet" href={`/codes/${code.id}`}>
            Cancel
          </a>
        </div>
        <section class="card save-style">
          <h2>Save as style</h2>
          <Input
            form={form}
            name="styleName"
            label="Name of the style"
            maxLength={maxStyleNameLength}
            hint="To use this design, with its logo, for other codes."
          />
          <button type="submit" class="quiet" formaction={`${path}/style`}>
            Save as style
          </button>
        </section>
      </Form>
      {hasDesign && (
        <Form action={`${path}/delete`}>
          <button type="submit" class="quiet danger">
            Remove the design
          </button>
        </Form>
      )}
      <script type="module" src={`${visitor.assets}/codes/design/design.browser.js`} />
    </Layout>
  );
}

function Presets({ code, presets }: DesignViewProps) {
  return (
    <nav class="presets" aria-label="Start from">
      <h2>Start from</h2>
      {presets.map(({ key, name, picture }) => (
        <a key={key} href={`/codes/${code.id}/design?preset=${key}`}>
          <img src={picture} width="72" height="72" alt="" />
          {name}
        </a>
      ))}
    </nav>
  );
}

/** Those that the owner has saved. */
function Styles({ code, styles, form }: DesignViewProps) {
  if (styles.length === 0) return null;
  return (
    <nav class="presets" aria-label="Use a style">
      <h2>Your styles</h2>
      {styles.map((style) => (
        <a
          key={style.id}
          href={`/codes/${code.id}/design?styleId=${style.id}`}
          aria-current={style.id === form.values['styleId'] ? 'true' : undefined}
        >
          <StyleImage style={style} width={72} />
          <bdi>{style.name}</bdi>
        </a>
      ))}
    </nav>
  );
}

function ShapeFields({ form }: { form: FormState }) {
  return (
    <section class="card">
      <h2>Shapes</h2>
      <Select form={form} name="moduleShape" label="Modules" choices={moduleShapes} />
      <div class="pair">
        <Select form={form} name="eyeFrameShape" label="Eye frames" choices={eyeFrameShapes} />
        <Select form={form} name="eyeBallShape" label="Eye centers" choices={eyeBallShapes} />
      </div>
      <Input
        form={form}
        name="quietZone"
        label="Margin in modules"
        inputMode="numeric"
        hint="From 4 to 16. With a frame, from 2."
      />
    </section>
  );
}

function ColorFields({ code, form }: { code: QrCode; form: FormState }) {
  return (
    <section class="card">
      <h2>Colors</h2>
      <p class="hint">
        The foreground and the background are set{' '}
        <a href={`/codes/${code.id}/edit`}>in the form of the code</a>.
      </p>
      <Switched form={form} name="hasGradient" label="Gradient">
        <Input form={form} name="gradientColor" label="From the foreground color to" type="color" />
        <div class="pair">
          <Select
            form={form}
            name="gradientShape"
            label="Direction"
            choices={[
              ['linear', 'Along a line'],
              ['radial', 'From the center'],
            ]}
          />
          <Input form={form} name="gradientAngle" label="Angle in degrees" inputMode="numeric" />
        </div>
      </Switched>
      <Switched form={form} name="hasEyeColors" label="Different colors for the eyes">
        <div class="pair">
          <Input form={form} name="eyeFrameColor" label="Eye frame color" type="color" />
          <Input form={form} name="eyeBallColor" label="Eye center color" type="color" />
        </div>
      </Switched>
      <CheckBox form={form} name="transparentBackground" label="Transparent background" />
    </section>
  );
}

function FrameFields({ form }: { form: FormState }) {
  return (
    <section class="card">
      <h2>Frame</h2>
      <Select form={form} name="frame" label="Frame" choices={frameShapes} />
      <Input
        form={form}
        name="frameText"
        label="Text"
        maxLength={maxFrameTextLength}
        list="frame-texts"
        hint="Such as Scan me, Scan mich or 扫一扫."
      />
      <datalist id="frame-texts">
        {Object.entries(frameTexts).flatMap(([language, texts]) =>
          texts.map((text) => <option key={text} lang={language} value={text} />),
        )}
      </datalist>
      <Switched form={form} name="hasFrameColors" label="Different colors for the frame">
        <div class="pair">
          <Input form={form} name="frameColor" label="Frame color" type="color" />
          <Input form={form} name="frameTextColor" label="Text color" type="color" />
        </div>
      </Switched>
    </section>
  );
}

function LogoFields({ form, hasLogo }: { form: FormState; hasLogo: boolean }) {
  return (
    <section class="card">
      <h2>Logo</h2>
      <FileInput
        form={form}
        name="logo"
        label={hasLogo ? 'Another logo' : 'Logo'}
        accept="image/png,image/jpeg,image/webp,image/svg+xml"
        hint="PNG, JPEG, WebP or SVG, up to 1 MB."
      />
      <Input
        form={form}
        name="logoSize"
        label="Logo size in percent"
        inputMode="numeric"
        hint="From 10 to 24, of the width of the code. A large logo needs more error correction, which is raised automatically."
      />
      {hasLogo && <CheckBox form={form} name="removeLogo" label="Remove the logo" />}
    </section>
  );
}

interface SwitchedProps {
  form: FormState;
  name: string;
  label: string;
  children: ComponentChildren;
}

/** Fields that count, and are shown, only while the box is checked. */
function Switched({ form, name, label, children }: SwitchedProps) {
  return (
    <div class="switched">
      <CheckBox form={form} name={name} label={label} />
      <div>{children}</div>
    </div>
  );
}
