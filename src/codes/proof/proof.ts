import { defaultDesign, type Design, minQuietZone } from '../design/design.ts';
import type { Picture } from '../image/draw.ts';
import { fitsSymbol } from '../image/symbol.ts';

/** Widths of the printed picture that a design is proven at, the largest first. */
export const provenSizesMm = [30, 20, 15] as const;
export type ProvenSizeMm = (typeof provenSizesMm)[number];

/** From how far the sizes are proven. */
export const distanceCm = 15;

export interface Proof {
  /** The smallest width of the printed picture at which every photograph was read; null if there is none. */
  readsAtMm: ProvenSizeMm | null;
  /** A change that makes it readable, or readable when printed smaller; null if none was found, or none is needed. */
  remedy: { field: string; value: string } | null;
  /** A character of the text of the frame that no font has; null if there is none. */
  undrawable: string | null;
}

/** Percent of the width: covers half as much as the default. */
const smallLogoSize = 14;

export interface Remedy {
  /** Of the design or, for colors and the error correction, of the code. */
  field: string;
  value: string;
  changed: Picture;
}

/** Single changes that make a picture easier to read, those that change its looks the least first. */
export function remediesFor(picture: Picture): Remedy[] {
  const { design = defaultDesign } = picture;
  const withDesign = <Field extends keyof Design>(field: Field, value: Design[Field]): Remedy[] =>
    design[field] === value
      ? []
      : [{ field, value: String(value), changed: { ...picture, design: { ...design, [field]: value } } }];
  const withPicture = (field: 'foregroundColor' | 'backgroundColor' | 'errorCorrection', value: string) =>
    picture[field] === value ? [] : [{ field, value, changed: { ...picture, [field]: value } }];
  return [
    ...(design.quietZone < minQuietZone ? withDesign('quietZone', minQuietZone) : []),
    ...(design.logo !== null && design.logoSize > smallLogoSize ? withDesign('logoSize', smallLogoSize) : []),
    ...withDesign('eyeBallColor', null),
    ...withDesign('eyeFrameColor', null),
    ...withDesign('eyeBallShape', 'square'),
    ...withDesign('eyeFrameShape', 'square'),
    ...withDesign('moduleShape', 'square'),
    ...(design.gradientColor === null ? [] : withDesign('gradientColor', null)),
    ...withPicture('foregroundColor', '#000000'),
    ...withPicture('backgroundColor', '#ffffff'),
    // More correction where modules are lost, fewer modules where they are too small.
    ...(['H', 'L'] as const)
      .filter((level) => fitsSymbol(picture.text, level))
      .flatMap((level) => withPicture('errorCorrection', level)),
    ...(design.frame === 'none' ? [] : withDesign('frame', 'none')),
    ...(design.logo === null ? [] : withDesign('logo', null)),
  ];
}
