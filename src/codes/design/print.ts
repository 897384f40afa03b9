/** How a code is printed: the page of a PDF. */
export interface Print {
  /** Of the picture after trimming. */
  widthMm: number;
  /** How far the background reaches beyond that on each side. */
  bleedMm: number;
  cropMarks: boolean;
}

export const defaultPrint: Print = { widthMm: 50, bleedMm: 0, cropMarks: false };

const limits = { widthMm: { min: 10, max: 1_000 }, bleedMm: { min: 0, max: 10 } } as const;
const maxDigits = 6;

/** From the parameters of an address, such as `widthMm=40&bleedMm=3&cropMarks`. A sentence if one is not valid. */
export function readPrint(parameters: Map<string, string[]>): Print | string {
  const print = { ...defaultPrint, cropMarks: parameters.has('cropMarks') };
  for (const name of ['widthMm', 'bleedMm'] as const) {
    const { min, max } = limits[name];
    for (const text of parameters.get(name) ?? []) {
      const value = text.length <= maxDigits && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max)) return `${name} must be a number from ${min} to ${max}.`;
      print[name] = value;
    }
  }
  return print;
}
