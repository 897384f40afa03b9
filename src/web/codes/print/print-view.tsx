import { paperNames } from '../../../codes/print/labels.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { type FormState, Input, Select } from '../../ui/controls.tsx';
import { Back, Layout, Notice } from '../../ui/layout.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { printFormats, printLanguages, type PrintSettings } from './print-settings.ts';

interface PrintProps {
  code: QrCode;
  settings: PrintSettings;
  form: FormState;
  /** From how far a phone reads it. */
  distanceCm: number;
  /** Below this width, phones may not read it. */
  smallestMm: number;
  /** Why nobody can use what is printed. */
  warning: string | undefined;
}

/** The settings, which are not printed, and the sheet. */
export function PrintView(props: PrintProps) {
  const { code, settings, form, warning } = props;
  const { assets } = useVisitor();
  return (
    <Layout title={`Print ${code.name}`} at="/codes" styles={['codes']}>
      <div class="print-setup">
        <Back href={`/codes/${code.id}`}>Back to the code</Back>
        <h1>
          Print <bdi>{code.name}</bdi>
        </h1>
        {warning && <Notice kind="bad">{warning}</Notice>}
      </div>
      <div class="print-page">
        <section class="card print-setup" aria-label="Settings">
          <Settings code={code} form={form} settings={settings} />
          <Advice {...props} />
          <button type="button" class="print-now" data-print>
            Print
          </button>
          <p class="hint" data-paper>
            In the print dialog, choose {settings.paper} and a scale of 100%, without headers and footers.
          </p>
        </section>
        <section class="print-preview" aria-label="Preview of the sheet">
          <Sheet code={code} settings={settings} />
        </section>
      </div>
      <script type="module" src={`${assets}/codes/print/print.browser.js`} />
    </Layout>
  );
}

function Settings({ code, form, settings }: Pick<PrintProps, 'code' | 'form' | 'settings'>) {
  return (
    <form action={`/codes/${code.id}/print`}>
      {/* The width belongs to this format. */}
      <input type="hidden" name="shown" value={settings.format} />
      <Select
        form={form}
        name="format"
        label="Format"
        choices={Object.entries(printFormats).map(([format, { name }]): [string, string] => [format, name])}
      />
      <div class="pair">
        <Select
          form={form}
          name="paper"
          label="Paper"
          choices={paperNames.map((paper): [string, string] => [paper, paper])}
        />
        <Input form={form} name="width" label="Width (mm)" inputMode="decimal" />
      </div>
      <Select
        form={form}
        name="holds"
        label="Code"
        choices={[
          ['link', 'Dynamic: opens the share link'],
          ['content', 'Static: holds the content'],
        ]}
      />
      <Input
        form={form}
        name="title"
        label="Title (optional)"
        maxLength={100}
        hint={titleHint(code, settings)}
      />
      <Input
        form={form}
        name="text"
        label="Text (optional)"
        maxLength={200}
        hint={settings.defaultText ? `If empty: “${settings.defaultText}”` : 'The frame has a text already.'}
      />
      <Select
        form={form}
        name="language"
        label="Language of the text"
        choices={Object.entries(printLanguages)}
      />
      <button type="submit" class="quiet print-update">
        Update the preview
      </button>
    </form>
  );
}

/** The name is only for its owner, unless it is typed here. */
function titleHint({ name, pageTitle }: QrCode, settings: PrintSettings): string | undefined {
  const { title, format, titleSize } = settings;
  if (format === 'sticker' && titleSize === 'cut')
    return 'Too long for stickers of this width: shorten it, or print them wider.';
  return pageTitle === null && title !== name
    ? 'The name of the code is not printed. To always print another title, set the public title of the code.'
    : undefined;
}

function Advice({ settings: { widthMm, heightPerWidth }, distanceCm, smallestMm }: PrintProps) {
  const frame = heightPerWidth === 1 ? '' : ' with its frame';
  if (widthMm < smallestMm)
    return (
      <div class="notice bad" role="status" data-advice>
        Too small: phones may not read it. Print this code at least {smallestMm} mm wide{frame}.
      </div>
    );
  return (
    <p class="after" role="status" data-advice>
      <strong>
        {widthMm} mm wide{frame}: phones read it from up to about {inWords(distanceCm)}.
      </strong>{' '}
      Twice as wide reads from twice as far.
    </p>
  );
}

function inWords(centimeters: number): string {
  return centimeters < 100 ? `${centimeters} cm` : `${centimeters / 100} m`;
}

function Sheet({ code, settings }: Pick<PrintProps, 'code' | 'settings'>) {
  const { format, paper, language, copies, titleSize } = settings;
  const size = format === 'sticker' && titleSize !== 'short' ? ` is-${titleSize}` : '';
  return (
    <div class={`sheet ${paper.toLowerCase()} is-${format}${size}`} lang={language}>
      {Array.from({ length: copies }, (_, index) => (
        // The same again and again: one is enough for screen readers.
        <div key={index} class="panel" aria-hidden={index > 0 ? 'true' : undefined}>
          <Panel code={code} settings={settings} />
        </div>
      ))}
    </div>
  );
}

function Panel({
  code,
  settings: { title, subtitle, text, widthMm, heightPerWidth, isDirect },
}: Pick<PrintProps, 'code' | 'settings'>) {
  return (
    <>
      <div class="texts">
        {title && (
          <p class={[...title].length > 40 ? 'title long' : 'title'} dir="auto">
            {title}
          </p>
        )}
        {subtitle && (
          <p class="subtitle" dir="auto">
            {subtitle}
          </p>
        )}
        {text && (
          <p class="text" dir="auto">
            {text}
          </p>
        )}
      </div>
      {/* Attributes may have millimeters; style attributes are not allowed by our content security policy. */}
      <svg
        width={`${widthMm}mm`}
        height={`${widthMm * heightPerWidth}mm`}
        viewBox={`0 0 1 ${heightPerWidth}`}
        role="img"
        aria-label={`QR code of ${code.name}`}
      >
        <image
          href={`/codes/${code.id}/print.svg${isDirect ? '?encode=content' : ''}`}
          width="1"
          height={heightPerWidth}
        />
      </svg>
    </>
  );
}
