import type { LabelSheet } from './label-sheets.ts';

export const namePlaces = ['below', 'beside', 'none'] as const;
export type NamePlace = (typeof namePlaces)[number];

/** In millimeters from the upper left corner of the label. */
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

export const fontSizePoints = 8;
export const lineHeightMm = 3.3;
/** Printers do not hit the label exactly. */
const maxPaddingMm = 2;
const gapMm = 0.5;
/** On lower labels, a name below would leave too little for the code. */
const lowLabelMm = 20;
/** From this height on, there is room for two lines below the code. */
const highLabelMm = 30;
const maxLinesBeside = 4;
/** Of the width, where the name is beside the code. */
const codeShare = 0.6;

export function defaultNamePlace({ labelHeightMm }: LabelSheet): NamePlace {
  return labelHeightMm < lowLabelMm ? 'beside' : 'below';
}

/** The same for every label of a sheet, whatever its name, so that codes line up. */
export function layOutLabel({ labelWidthMm, labelHeightMm }: LabelSheet, place: NamePlace): LabelLayout {
  const padding = Math.min(maxPaddingMm, 0.06 * Math.min(labelWidthMm, labelHeightMm));
  const widthMm = labelWidthMm - 2 * padding;
  const heightMm = labelHeightMm - 2 * padding;
  const inner = { xMm: padding, yMm: padding, widthMm, heightMm };
  switch (place) {
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
