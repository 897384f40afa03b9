import { presets } from '../../../codes/design/design.ts';
import type { DesignSubject } from './design-subject.ts';
import { type DesignValues, previewQuery, valuesOfDesign } from './design-values.ts';

export interface DesignerPictures {
  preview: string;
  presets: { key: string; name: string; picture: string }[];
}

/** The addresses of the pictures in a designer. */
export function designerPictures({ path, look }: DesignSubject, values: DesignValues): DesignerPictures {
  const address = (drawn: DesignValues) => `${path}/preview.svg?${previewQuery(drawn)}`;
  return {
    preview: address(values),
    presets: Object.entries(presets).map(([key, { name, design }]) => ({
      key,
      name,
      picture: address(valuesOfDesign(design, look)),
    })),
  };
}

/** The preset that a link of the designer chooses. */
export function chosenPreset(key: unknown) {
  return typeof key === 'string' && Object.hasOwn(presets, key) ? presets[key] : undefined;
}
