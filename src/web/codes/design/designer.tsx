import type { ComponentChildren } from 'preact';
import { frameTexts, maxFrameTextLength } from '../../../codes/design/design.ts';
import { CheckBox, FileInput, type FormState, Input, Select } from '../../ui/controls.tsx';
import { Form } from '../../ui/layout.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import type { DesignerPictures } from './design-form.ts';

interface DesignerProps extends DesignerPictures {
  form: FormState;
  /** The path of the page, which the form is sent to. */
  path: string;
  /** The target of "Cancel". */
  back: string;
  hasLogo: boolean;
  /** Says where the foreground and the background come from. */
  colors: ComponentChildren;
  /** More to start from. */
  starts?: ComponentChildren;
  /** More to do with the choices. */
  children?: ComponentChildren;
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

/** The choices of a design, with a picture of them. design.browser.js keeps that up to date. */
export function Designer(props: DesignerProps) {
  const { assets } = useVisitor();
  const { form, path, back, hasLogo, colors, preview, starts, children } = props;
  return (
    <>
      <Presets {...props} />
      {starts}
      <Form action={path} class="code-form design-form" hasFile>
        <input type="hidden" name="styleId" value={form.values['styleId'] ?? ''} />
        <div>
          <ShapeFields form={form} />
          <ColorFields form={form} colors={colors} />
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
          <a class="button quiet" href={back}>
            Cancel
          </a>
        </div>
        {children}
      </Form>
      <script type="module" src={`${assets}/codes/design/design.browser.js`} />
    </>
  );
}

/** Explains the check before a design is saved. */
export function ProofHint() {
  return (
    <p class="hint">
      Before a design is saved, two QR code readers try it as a phone camera would see it. If they cannot read
      it, it is not saved, and this page says what to change.
    </p>
  );
}

function Presets({ path, presets }: Pick<DesignerProps, 'path' | 'presets'>) {
  return (
    <nav class="presets" aria-label="Start from">
      <h2>Start from</h2>
      {presets.map(({ key, name, picture }) => (
        <a key={key} href={`${path}?preset=${key}`}>
          <img src={picture} width="72" height="72" alt="" />
          {name}
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

function ColorFields({ form, colors }: Pick<DesignerProps, 'form' | 'colors'>) {
  return (
    <section class="card">
      <h2>Colors</h2>
      <p class="hint">{colors}</p>
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
