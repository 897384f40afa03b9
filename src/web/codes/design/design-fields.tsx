import type { ComponentChildren } from 'preact';
import {
  type EyeBallShape,
  type EyeFrameShape,
  type FrameShape,
  frameTexts,
  maxFrameTextLength,
  maxLogoSize,
  maxQuietZone,
  minFramedQuietZone,
  minLogoSize,
  type ModuleShape,
} from '../../../codes/design/design.ts';
import { Choices, Range } from '../../ui/choices.tsx';
import { CheckBox, FileInput, type FormState, Input, Select } from '../../ui/controls.tsx';
import { EyeBallPicture, EyeFramePicture, FramePicture, ModulesPicture } from './shape-pictures.tsx';

const moduleShapes: [ModuleShape, string][] = [
  ['square', 'Squares'],
  ['rounded', 'Rounded'],
  ['dots', 'Dots'],
  ['diamond', 'Diamonds'],
  ['bars', 'Bars'],
];
const eyeFrameShapes: [EyeFrameShape, string][] = [
  ['square', 'Square'],
  ['rounded', 'Rounded'],
  ['cut', 'Cut'],
  ['leaf', 'Leaf'],
];
const eyeBallShapes: [EyeBallShape, string][] = [
  ['square', 'Square'],
  ['rounded', 'Rounded'],
  ['circle', 'Round'],
  ['leaf', 'Leaf'],
  ['octagon', 'Octagon'],
];
const frameShapes: [FrameShape, string][] = [
  ['none', 'None'],
  ['band', 'Band'],
  ['bubble', 'Bubble'],
  ['card', 'Card'],
];

interface FieldsProps {
  form: FormState;
  /** Whether the design has a logo already. */
  logo: string | null;
  /** Whether what is designed is a template, which may leave the colors to each code. */
  isTemplate?: boolean;
  /** Shows what few people change on demand. */
  isCollapsed?: boolean;
}

/** Everything that decides how a code looks. */
export function DesignFields({ form, logo, isTemplate = false, isCollapsed = false }: FieldsProps) {
  return (
    <>
      <ColorFields form={form} isTemplate={isTemplate} />
      <LogoFields form={form} logo={logo} />
      <Part title="Shapes" form={form} names={shapeNames} isCollapsed={isCollapsed}>
        <ShapeFields form={form} />
      </Part>
      <Part title="Frame" form={form} names={frameNames} isCollapsed={isCollapsed} isTitled>
        <FrameFields form={form} />
      </Part>
      <Part
        title={isTemplate ? 'Margin' : 'Margin and error correction'}
        form={form}
        names={['quietZone', 'errorCorrection']}
        isCollapsed={isCollapsed}
      >
        <MoreFields form={form} isTemplate={isTemplate} />
      </Part>
    </>
  );
}

const shapeNames = ['moduleShape', 'eyeFrameShape', 'eyeBallShape'];
const frameNames = ['frame', 'frameText', 'frameColor', 'frameTextColor'];

interface PartProps {
  title: string;
  form: FormState;
  /** Of its fields. */
  names: string[];
  isCollapsed: boolean;
  /** Whether the title is also that of the first field. */
  isTitled?: boolean;
  children: ComponentChildren;
}

/** A card of fields. Closed if that is asked for, unless one of them has an error. */
function Part({ title, form, names, isCollapsed, isTitled = false, children }: PartProps) {
  const look = isTitled ? 'card titled' : 'card';
  if (!isCollapsed)
    return (
      <section class={look}>
        <h2>{title}</h2>
        {children}
      </section>
    );
  return (
    <details class={look} open={form.errors.some(({ field }) => names.includes(field))}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  );
}

function ColorFields({ form, isTemplate }: { form: FormState; isTemplate: boolean }) {
  const pair = (
    <div class="pair">
      <Input form={form} name="foregroundColor" label="Foreground" type="color" />
      <Input form={form} name="backgroundColor" label="Background" type="color" />
    </div>
  );
  return (
    <section class="card">
      <h2>Colors</h2>
      {isTemplate ? (
        <Switched form={form} name="hasColors" label="Set the colors of codes, too">
          {pair}
        </Switched>
      ) : (
        pair
      )}
      <Switched form={form} name="hasGradient" label="Gradient">
        <Input form={form} name="gradientColor" label="Second color" type="color" />
        <Choices
          form={form}
          name="gradientShape"
          label="Direction"
          look="segments"
          choices={[
            { value: 'linear', text: 'Along a line' },
            { value: 'radial', text: 'From the center' },
          ]}
        />
        <Range form={form} name="gradientAngle" label="Angle" min={0} max={359} unit="°" />
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

interface LogoProps {
  form: FormState;
  logo: string | null;
}

/** Hidden where there is none: design.browser.js shows it for a template that has one. */
export function KeptLogo({ form, logo }: LogoProps) {
  return (
    <div class="kept-logo" hidden={logo === null}>
      {logo !== null && <img src={`/codes/brand/logos/${logo}`} alt="The logo" />}
      <p>Another file replaces the logo.</p>
      <CheckBox form={form} name="removeLogo" label="Remove the logo" />
    </div>
  );
}

function LogoFields({ form, logo }: LogoProps) {
  return (
    <section class="card titled logo-fields">
      <h2>Logo</h2>
      <KeptLogo form={form} logo={logo} />
      <FileInput
        form={form}
        name="logo"
        crops="free"
        label="Logo"
        accept="image/png,image/jpeg,image/webp,image/svg+xml"
        hint="PNG, JPEG, WebP or SVG, up to 1 MB."
      />
      <Range
        form={form}
        name="logoSize"
        label="Logo size"
        min={minLogoSize}
        max={maxLogoSize}
        unit="%"
        hint="Of the width of the code. The error correction is raised where a logo needs it."
      />
    </section>
  );
}

function ShapeFields({ form }: { form: FormState }) {
  return (
    <>
      <Choices
        form={form}
        name="moduleShape"
        label="Modules"
        choices={moduleShapes.map(([value, text]) => ({
          value,
          text,
          picture: <ModulesPicture shape={value} />,
        }))}
      />
      <Choices
        form={form}
        name="eyeFrameShape"
        label="Eye frames"
        choices={eyeFrameShapes.map(([value, text]) => ({
          value,
          text,
          picture: <EyeFramePicture shape={value} />,
        }))}
      />
      <Choices
        form={form}
        name="eyeBallShape"
        label="Eye centers"
        choices={eyeBallShapes.map(([value, text]) => ({
          value,
          text,
          picture: <EyeBallPicture shape={value} />,
        }))}
      />
    </>
  );
}

function FrameFields({ form }: { form: FormState }) {
  return (
    <>
      <Choices
        form={form}
        name="frame"
        label="Frame"
        choices={frameShapes.map(([value, text]) => ({
          value,
          text,
          picture: <FramePicture shape={value} />,
        }))}
      />
      {/* Shown with a frame. */}
      <div class="frame-text">
        <Input
          form={form}
          name="frameText"
          label="Frame text"
          maxLength={maxFrameTextLength}
          list="frame-texts"
          hint="Such as Scan me, 扫一扫 or امسح الرمز. Most scripts can be drawn."
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
      </div>
    </>
  );
}

function MoreFields({ form, isTemplate }: { form: FormState; isTemplate: boolean }) {
  return (
    <>
      <Range
        form={form}
        name="quietZone"
        label="Margin in modules"
        min={minFramedQuietZone}
        max={maxQuietZone}
        hint="At least 4 without a frame: scanners need free space around the code."
      />
      {!isTemplate && (
        <Select
          form={form}
          name="errorCorrection"
          label="Error correction"
          choices={[
            ['L', 'Low (7% repairable)'],
            ['M', 'Medium (15% repairable)'],
            ['Q', 'High (25% repairable)'],
            ['H', 'Highest (30% repairable)'],
          ]}
        />
      )}
    </>
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
