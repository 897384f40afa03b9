import type { ComponentChildren } from 'preact';
import { fileFormats } from '../../../codes/print/print-codes.ts';
import { averyNumbers, averySheets, defaultGrid, paperNames, papers } from '../../../codes/print/labels.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { type FormState, Input, Select } from '../../ui/controls.tsx';
import { Form, Notice, Page } from '../../ui/layout.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { figure } from '../../ui/words.tsx';
import { type Selection, maxCodesInAddress, packedLength } from './selection.ts';

interface SelectionProps {
  selection: Selection;
  /** Characters of the names and titles that no font has. */
  unprintable: string[];
  form: FormState;
}

const shownNames = 10;

const formatNames = { svg: 'SVG (any size)', png: 'PNG (pixels)', pdf: 'PDF (50 mm wide)' } as const;

/** Labels and files of the codes that were chosen in the list. */
export function SelectionView({ selection, unprintable, form }: SelectionProps) {
  const { codes } = selection;
  const { assets } = useVisitor();
  return (
    <Page
      title="Print or download"
      at="/codes"
      styles={['codes']}
      back={['/codes', 'All QR codes']}
      form={form}
    >
      {codes.length > 0 && <Missing count={selection.missing} />}
      {codes.length === 0 ? (
        <NothingSelected />
      ) : (
        <Jobs selection={selection} unprintable={unprintable} form={form} />
      )}
      <script type="module" src={`${assets}/codes/print/files.browser.js`} />
      <script type="module" src={`${assets}/codes/print/grid.browser.js`} />
    </Page>
  );
}

export function Missing({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <Notice kind="bad">
      {figure(count)} of the selected codes{' '}
      {count === 1 ? 'does not exist any more and is' : 'do not exist any more and are'} left out.
    </Notice>
  );
}

/** Without scripts, the buttons of the list work before anything is selected. */
export function NothingSelected() {
  return (
    <section class="card">
      <h2>No codes selected</h2>
      <p>
        Go back to <a href="/codes">the list</a>, check the boxes of the codes that you want, and try again.
      </p>
    </section>
  );
}

function Jobs({ selection, unprintable, form }: SelectionProps) {
  return (
    <>
      <Chosen codes={selection.codes} />
      <div class="columns">
        <LabelJob selection={selection} unprintable={unprintable} form={form} />
        <FileJob selection={selection} form={form} />
      </div>
    </>
  );
}

export function Chosen({ codes }: { codes: QrCode[] }) {
  const more = codes.length - shownNames;
  return (
    <p>
      <strong>
        {figure(codes.length)} {codes.length === 1 ? 'code' : 'codes'}:
      </strong>{' '}
      {codes.slice(0, shownNames).map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ' · '}
          <bdi>{name}</bdi>
        </span>
      ))}
      {more > 0 && ` and ${figure(more)} more`}
    </p>
  );
}

interface JobProps {
  action: string;
  title: string;
  selection: Selection;
  children: ComponentChildren;
}

function Job({ action, title, selection, children }: JobProps) {
  const isPosted = selection.parameters.some(([, { length }]) => length > packedLength(maxCodesInAddress));
  const fields = (
    <>
      {selection.parameters.map(([name, value]) => (
        <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
      ))}
      {children}
    </>
  );
  return (
    <section class="card">
      <h2>{title}</h2>
      {isPosted ? <Form action={action}>{fields}</Form> : <form action={action}>{fields}</form>}
    </section>
  );
}

const maxListed = 30;

/** Before a hundred labels are printed with boxes. */
function Unprintable({ characters }: { characters: string[] }) {
  if (characters.length === 0) return null;
  const listed = characters.slice(0, maxListed).join(' ');
  return (
    <div class="notice warn">
      Labels show boxes instead of these characters, which no font here has: <bdi>{listed}</bdi>
      {characters.length > maxListed && ' …'}. Change the text, or print labels without it.
    </div>
  );
}

function LabelJob({ selection, unprintable, form }: SelectionProps) {
  const isGrid = form.values['sheet'] === 'grid';
  return (
    <Job action="/codes/labels.pdf" title="Label sheets" selection={selection}>
      <Select
        form={form}
        name="sheet"
        label="Sheet"
        choices={[
          ...averyNumbers.map((number): [string, string] => [number, sheetName(number)]),
          ['grid', 'Other: custom grid'],
        ]}
      />
      <SheetPreviews chosen={form.values['sheet']} />
      <div class="pair">
        <Input
          form={form}
          name="start"
          label="Start at label"
          inputMode="numeric"
          hint="Skips labels that are already used."
        />
        <Select
          form={form}
          name="name"
          label="Text"
          choices={[
            ['', 'Where it fits'],
            ['below', 'Below the code'],
            ['beside', 'Beside the code'],
            ['none', 'No text'],
          ]}
        />
      </div>
      <Select
        form={form}
        name="text"
        label="What it says"
        choices={[
          ['title', 'The public title of the code'],
          ['name', 'The name of the code'],
        ]}
      />
      <Unprintable characters={unprintable} />
      <details open={isGrid}>
        <summary>Custom grid</summary>
        <GridFields form={form} />
      </details>
      <button type="submit">Download labels as PDF</button>
      <p class="hint">
        Print at a scale of 100%. Try plain paper first, and hold it against the sheet and a light.
      </p>
    </Job>
  );
}

/** How the labels are on each sheet. grid.browser.js shows that of the chosen one. */
function SheetPreviews({ chosen }: { chosen: string | undefined }) {
  return (
    <div class="sheet-previews" aria-hidden="true">
      {averyNumbers.map((number) => {
        const { paper, columns, rows, labelWidthMm, labelHeightMm, ...sheet } = averySheets[number];
        const { widthMm, heightMm } = papers[paper];
        const codeMm = Math.min(labelWidthMm, labelHeightMm) * 0.7;
        const gapMm = (labelHeightMm - codeMm) / 2;
        return (
          <svg
            key={number}
            data-sheet={number}
            hidden={number !== chosen}
            viewBox={`0 0 ${widthMm} ${heightMm}`}
          >
            <rect class="paper" width={widthMm} height={heightMm} rx="2" />
            {Array.from({ length: columns * rows }, (_, index) => {
              const x = sheet.leftMm + (index % columns) * sheet.pitchXMm;
              const y = sheet.topMm + Math.floor(index / columns) * sheet.pitchYMm;
              return (
                <g key={index}>
                  <rect class="label" x={x} y={y} width={labelWidthMm} height={labelHeightMm} rx="2" />
                  <rect class="code" x={x + gapMm} y={y + gapMm} width={codeMm} height={codeMm} rx="1" />
                </g>
              );
            })}
          </svg>
        );
      })}
    </div>
  );
}

function GridFields({ form }: { form: FormState }) {
  const millimeters = [
    ['marginXMm', 'Side margins (mm)'],
    ['marginYMm', 'Top margin (mm)'],
    ['gapXMm', 'Column gap (mm)'],
    ['gapYMm', 'Row gap (mm)'],
  ] as const;
  return (
    <div class="grid-fields">
      <Select
        form={form}
        name="paper"
        label="Paper"
        choices={paperNames.map((paper): [string, string] => [paper, paper])}
      />
      <Input form={form} name="columns" label="Columns" inputMode="numeric" />
      <Input form={form} name="rows" label="Rows" inputMode="numeric" />
      {millimeters.map(([name, label]) => (
        <Input key={name} form={form} name={name} label={label} inputMode="decimal" />
      ))}
    </div>
  );
}

function FileJob({ selection, form }: Omit<SelectionProps, 'unprintable'>) {
  return (
    <Job action="/codes/files.zip" title="Files" selection={selection}>
      <Select
        form={form}
        name="format"
        label="Format"
        choices={fileFormats.map((format): [string, string] => [format, formatNames[format]])}
      />
      <p class="hint">
        A ZIP archive with one file per code, and manifest.csv, which lists them with their share links.
      </p>
      {/* files.browser.js shows how far the download is. */}
      <div data-files={selection.codes.length + 1}>
        <button type="submit" class="quiet">
          Download files as ZIP
        </button>
      </div>
    </Job>
  );
}

function sheetName(number: (typeof averyNumbers)[number]): string {
  const { paper, columns, rows, labelWidthMm, labelHeightMm } = averySheets[number];
  const round = (value: number) => Math.round(value * 10) / 10;
  return `Avery ${number}: ${columns * rows} labels, ${round(labelWidthMm)} × ${round(labelHeightMm)} mm, ${paper}`;
}

/** The initial values of the form. */
export function initialValues(paper: string): Record<string, string> {
  const { columns, rows, marginXMm, marginYMm, gapXMm, gapYMm } = defaultGrid;
  const numbers = Object.entries({ columns, rows, marginXMm, marginYMm, gapXMm, gapYMm });
  return {
    sheet: paper === 'Letter' ? '5160' : 'L7160',
    start: '1',
    name: '',
    text: 'title',
    paper,
    format: 'svg',
    ...Object.fromEntries(numbers.map(([name, value]) => [name, String(value)])),
  };
}
