/** How a code is printed: the page of a PDF. */
export interface Print {
  /** Of the picture after trimming. */
  widthMm: number;
  /** How far the background reaches beyond that on each side. */
  bleedMm: number;
  cropMarks: boolean;
}

export const defaultPrint: Print = { widthMm: 50, bleedMm: 0, cropMarks: false };
export const printLimits = { widthMm: { min: 10, max: 1_000 }, bleedMm: { min: 0, max: 10 } } as const;
