/** Papers in millimeters. */
export const papers = {
  A4: { widthMm: 210, heightMm: 297 },
  Letter: { widthMm: 215.9, heightMm: 279.4 },
} as const;
export const paperNames = ['A4', 'Letter'] as const satisfies (keyof typeof papers)[];
export type Paper = (typeof paperNames)[number];

/** Where the labels of a sheet are, in millimeters from its upper left corner. */
export interface LabelSheet {
  paper: Paper;
  columns: number;
  rows: number;
  labelWidthMm: number;
  labelHeightMm: number;
  leftMm: number;
  topMm: number;
  /** From one label to the next. */
  pitchXMm: number;
  pitchYMm: number;
}

const inch = 25.4;

/** Sheets by the number that Avery sells them under. docs/decisions/0084 says what they were compared with. */
export const averySheets = {
  L7160: {
    paper: 'A4',
    columns: 3,
    rows: 7,
    labelWidthMm: 63.5,
    labelHeightMm: 38.1,
    leftMm: 7.21,
    topMm: 15.15,
    pitchXMm: 66.04,
    pitchYMm: 38.1,
  },
  L4732: {
    paper: 'A4',
    columns: 5,
    rows: 16,
    labelWidthMm: 35.6,
    labelHeightMm: 16.9,
    leftMm: 11,
    topMm: 13,
    pitchXMm: 38.1,
    pitchYMm: 16.9,
  },
  5160: {
    paper: 'Letter',
    columns: 3,
    rows: 10,
    labelWidthMm: 2.625 * inch,
    labelHeightMm: 1 * inch,
    leftMm: 0.1875 * inch,
    topMm: 0.5 * inch,
    pitchXMm: 2.75 * inch,
    pitchYMm: 1 * inch,
  },
  22806: {
    paper: 'Letter',
    columns: 3,
    rows: 4,
    labelWidthMm: 2 * inch,
    labelHeightMm: 2 * inch,
    leftMm: 0.625 * inch,
    topMm: 0.625 * inch,
    pitchXMm: 2.625 * inch,
    // The same margin above and below.
    pitchYMm: ((11 - 2 * 0.625 - 2) / 3) * inch,
  },
} as const satisfies Record<string, LabelSheet>;

export const averyNumbers = ['L7160', 'L4732', '5160', '22806'] as const satisfies (
  | keyof typeof averySheets
  | '5160'
  | '22806'
)[];
export const sheetNames = [...averyNumbers, 'grid'] as const;
export type SheetName = (typeof sheetNames)[number];

/** A sheet that is divided evenly, with the same margin on opposite sides. */
export interface LabelGrid {
  paper: Paper;
  columns: number;
  rows: number;
  marginXMm: number;
  marginYMm: number;
  gapXMm: number;
  gapYMm: number;
}

export const gridLimits = {
  columns: { min: 1, max: 12 },
  rows: { min: 1, max: 20 },
  marginXMm: { min: 0, max: 50 },
  marginYMm: { min: 0, max: 50 },
  gapXMm: { min: 0, max: 20 },
  gapYMm: { min: 0, max: 20 },
} as const;

export const defaultGrid: LabelGrid = {
  paper: 'A4',
  columns: 3,
  rows: 6,
  marginXMm: 10,
  marginYMm: 10,
  gapXMm: 0,
  gapYMm: 0,
};

/** Below this, a code on the label could not be read. */
export const minLabelMm = 15;

export function gridSheet(grid: LabelGrid): LabelSheet {
  const { paper, columns, rows, marginXMm, marginYMm, gapXMm, gapYMm } = grid;
  const { widthMm, heightMm } = papers[paper];
  const labelWidthMm = (widthMm - 2 * marginXMm - (columns - 1) * gapXMm) / columns;
  const labelHeightMm = (heightMm - 2 * marginYMm - (rows - 1) * gapYMm) / rows;
  return {
    paper,
    columns,
    rows,
    labelWidthMm,
    labelHeightMm,
    leftMm: marginXMm,
    topMm: marginYMm,
    pitchXMm: labelWidthMm + gapXMm,
    pitchYMm: labelHeightMm + gapYMm,
  };
}

export function labelsPerSheet({ columns, rows }: LabelSheet): number {
  return columns * rows;
}

/** The upper left corner of a label, counted from 0 along the rows. */
export function labelCorner(sheet: LabelSheet, index: number): { xMm: number; yMm: number } {
  return {
    xMm: sheet.leftMm + (index % sheet.columns) * sheet.pitchXMm,
    yMm: sheet.topMm + Math.floor(index / sheet.columns) * sheet.pitchYMm,
  };
}
