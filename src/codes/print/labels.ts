import type { FieldError } from '../../errors.ts';

type GivenGrid = Pick<LabelGrid, 'paper' | 'columns' | 'rows'> & Partial<LabelGrid>;

/** Label settings as API clients and forms send them. */
export interface LabelChoice {
  sheet: SheetName;
  grid?: GivenGrid | undefined;
  start?: number | undefined;
  name?: NamePosition | undefined;
}

/** Rules that the schema does not express. */
export function labelErrors({ sheet, grid, start = 1 }: Partial<LabelChoice>): FieldError[] {
  if (sheet === undefined) return [];
  if (sheet !== 'grid' && grid) return [{ field: 'grid', message: 'must be omitted unless sheet is grid' }];
  if (sheet === 'grid' && !grid) return [{ field: 'grid', message: 'is required if sheet is grid' }];
  const labels = sheetOf(sheet, grid);
  const errors: FieldError[] = [];
  const smallest = Math.min(labels.labelWidthMm, labels.labelHeightMm);
  if (smallest < minLabelMm) {
    const message = `must leave labels of at least ${minLabelMm} by ${minLabelMm} mm`;
    errors.push({ field: 'grid', message });
  }
  const perSheet = labelsPerSheet(labels);
  if (start > perSheet) {
    errors.push({
      field: 'start',
      message: `must be at most ${perSheet}, the number of labels on the sheet`,
    });
  }
  return errors;
}

/** The choice must be valid. */
export function labelOptions({ sheet, grid, start = 1, name }: LabelChoice): LabelOptions {
  const labels = sheetOf(sheet, grid);
  return { sheet: labels, start, namePosition: name ?? defaultNamePosition(labels) };
}

function sheetOf(sheet: SheetName, grid: GivenGrid | undefined): LabelSheet {
  return sheet === 'grid' ? gridSheet({ ...defaultGrid, ...grid }) : averySheets[sheet];
}

export interface LabelOptions {
  sheet: LabelSheet;
  /** The first free label, from 1. */
  start: number;
  namePosition: NamePosition;
}

export const namePositions = ['below', 'beside', 'none'] as const;
type NamePosition = (typeof namePositions)[number];

/** Relative to the upper left corner of the label. */
export interface Box {
  xMm: number;
  yMm: number;
  widthMm: number;
  heightMm: number;
}

export interface LabelLayout {
  code: Box;
  name?: { box: Box; align: 'center' | 'left'; maxLines: number } | undefined;
}

/** Names that need more room are smaller. Below 6 points, printed letters are hard to read. */
export const fontSizesPoints: [number, ...number[]] = [8, 7.5, 7, 6.5, 6];
/** At the largest size. */
export const lineHeightMm = 3.3;
/** Tolerance for printers. */
const maxPaddingMm = 2;
export const gapMm = 0.5;
/** A name below the code would leave too little room on lower labels. */
const lowLabelMm = 20;
/** Higher labels have two lines below the code. */
const highLabelMm = 30;
const maxLinesBeside = 4;
/** Share of the width that the code gets if the name is beside it. */
const codeShare = 0.6;

function defaultNamePosition({ labelHeightMm }: LabelSheet): NamePosition {
  return labelHeightMm < lowLabelMm ? 'beside' : 'below';
}

/** The same for all labels of a sheet, so that codes line up. */
export function layOutLabel(
  { labelWidthMm, labelHeightMm }: LabelSheet,
  position: NamePosition,
): LabelLayout {
  const padding = Math.min(maxPaddingMm, 0.06 * Math.min(labelWidthMm, labelHeightMm));
  const widthMm = labelWidthMm - 2 * padding;
  const heightMm = labelHeightMm - 2 * padding;
  const inner = { xMm: padding, yMm: padding, widthMm, heightMm };
  switch (position) {
    case 'none':
      return { code: inner };
    case 'below': {
      const maxLines = labelHeightMm < highLabelMm ? 1 : 2;
      const nameMm = maxLines * lineHeightMm;
      const code = { ...inner, heightMm: heightMm - nameMm - gapMm };
      const box = { ...inner, yMm: padding + heightMm - nameMm, heightMm: nameMm };
      return { code, name: { box, align: 'center', maxLines } };
    }
    case 'beside': {
      const side = Math.min(heightMm, codeShare * widthMm);
      const xMm = padding + side + gapMm;
      const maxLines = Math.min(maxLinesBeside, Math.floor(heightMm / lineHeightMm));
      const box = { ...inner, xMm, widthMm: labelWidthMm - padding - xMm };
      return { code: { ...inner, widthMm: side }, name: { box, align: 'left', maxLines } };
    }
  }
}

export const papers = {
  A4: { widthMm: 210, heightMm: 297 },
  Letter: { widthMm: 215.9, heightMm: 279.4 },
} as const;
export const paperNames = ['A4', 'Letter'] as const satisfies (keyof typeof papers)[];
export type Paper = (typeof paperNames)[number];

const inch = 25.4;

/** Millimeters, relative to the upper left corner of the sheet. `pitch` is the distance from one label to the next. */
const labelSheet = (
  paper: Paper,
  [columns, rows]: [number, number],
  [labelWidthMm, labelHeightMm]: [number, number],
  [leftMm, topMm]: [number, number],
  [pitchXMm, pitchYMm]: [number, number],
) => ({
  paper,
  columns,
  rows,
  labelWidthMm,
  labelHeightMm,
  leftMm,
  topMm,
  pitchXMm,
  pitchYMm,
});

type LabelSheet = ReturnType<typeof labelSheet>;

const inInches = (x: number, y: number): [number, number] => [x * inch, y * inch];

/** By Avery's numbers. docs/decisions/0084 says what they were compared with. */
export const averySheets = {
  L7160: labelSheet('A4', [3, 7], [63.5, 38.1], [7.21, 15.15], [66.04, 38.1]),
  L4732: labelSheet('A4', [5, 16], [35.6, 16.9], [11, 13], [38.1, 16.9]),
  5160: labelSheet('Letter', [3, 10], inInches(2.625, 1), inInches(0.1875, 0.5), inInches(2.75, 1)),
  // The margin is the same above and below.
  22806: labelSheet(
    'Letter',
    [3, 4],
    inInches(2, 2),
    inInches(0.625, 0.625),
    inInches(2.625, (11 - 2 * 0.625 - 2) / 3),
  ),
};

export const averyNumbers = ['L7160', 'L4732', '5160', '22806'] as const;
export const sheetNames = [...averyNumbers, 'grid'] as const;
type SheetName = (typeof sheetNames)[number];

export const gridLimits = {
  columns: { min: 1, max: 12 },
  rows: { min: 1, max: 20 },
  marginXMm: { min: 0, max: 50 },
  marginYMm: { min: 0, max: 50 },
  gapXMm: { min: 0, max: 20 },
  gapYMm: { min: 0, max: 20 },
} as const;

/** An evenly divided sheet with equal margins on opposite sides. */
export const defaultGrid = {
  paper: 'A4' as Paper,
  columns: 3,
  rows: 6,
  marginXMm: 10,
  marginYMm: 10,
  gapXMm: 0,
  gapYMm: 0,
};
export type LabelGrid = typeof defaultGrid;

/** Codes on smaller labels cannot be read. */
const minLabelMm = 15;

function gridSheet(grid: LabelGrid): LabelSheet {
  const { paper, columns, rows, marginXMm, marginYMm, gapXMm, gapYMm } = grid;
  const { widthMm, heightMm } = papers[paper];
  const labelWidthMm = (widthMm - 2 * marginXMm - (columns - 1) * gapXMm) / columns;
  const labelHeightMm = (heightMm - 2 * marginYMm - (rows - 1) * gapYMm) / rows;
  const pitch: [number, number] = [labelWidthMm + gapXMm, labelHeightMm + gapYMm];
  return labelSheet(paper, [columns, rows], [labelWidthMm, labelHeightMm], [marginXMm, marginYMm], pitch);
}

export function labelsPerSheet({ columns, rows }: LabelSheet): number {
  return columns * rows;
}

/** Upper left corner of a label. The index starts at 0 and follows the rows. */
export function labelCorner(sheet: LabelSheet, index: number): { xMm: number; yMm: number } {
  return {
    xMm: sheet.leftMm + (index % sheet.columns) * sheet.pitchXMm,
    yMm: sheet.topMm + Math.floor(index / sheet.columns) * sheet.pitchYMm,
  };
}
