import { defaultDesign, type Design, minQuietZone } from '../design/design.ts';
import type { Picture } from '../image/draw.ts';
import { fitsSymbol } from '../image/symbol.ts';

/** Printed widths at which a design is proven, largest first. */
export const provenSizesMm = [30, 20, 15] as const;
export type ProvenSizeMm = (typeof provenSizesMm)[number];

export const distanceCm = 15;

export interface Proof {
  /** The smallest printed width at which every photograph was read, if any. */
  readsAtMm: ProvenSizeMm | null;
  /** A change that makes it readable, or readable at a smaller size, if one was found. */
  remedy: { field: string; value: string } | null;
  /** A character of the frame text that no font has, if any. */
  undrawable: string | null;
}

/** Percent; covers half as much as the default. */
const smallLogoSize = 14;

interface Remedy {
  /** A field of the design, or of the code for colors and error correction. */
  field: string;
  value: string;
  changed: Picture;
}

/** Single changes that make a picture easier to read, least visible first. */
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
    // H helps if modules are lost, L if they are too small.
    ...(['H', 'L'] as const)
      .filter((level) => fitsSymbol(picture.text, level))
      .flatMap((level) => withPicture('errorCorrection', level)),
    ...(design.frame === 'none' ? [] : withDesign('frame', 'none')),
    ...(design.logo === null ? [] : withDesign('logo', null)),
  ];
}
