import { type DesignSubject, type DesignValues, tryReadDesign } from './design-form.ts';
import { designedPicture } from './design-previews.ts';
import { type OwnStarts, previewAddress, startsOf } from './design-subject.ts';
import type { DesignerPictures } from './designer.tsx';
import { readingOf } from './reading.ts';

interface Shown extends OwnStarts {
  values: DesignValues;
  logo: string | null;
}

/** What a designer shows beside its fields. */
export function designerPictures(
  subject: DesignSubject,
  { values, logo, ...own }: Shown,
  baseUrl: string,
): DesignerPictures {
  const given = tryReadDesign(values, subject.look, logo !== null);
  return {
    preview: previewAddress(subject.path, values),
    starts: startsOf(subject, own, values),
    reading: given && readingOf(designedPicture(subject, given, baseUrl)),
    logo,
  };
}
