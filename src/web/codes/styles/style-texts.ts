/** Messages after an action on a style. */
export const stylesFlashTexts = {
  created: 'Style saved.',
  designed: 'Style saved. Codes that have it keep their design until you apply it again.',
  renamed: 'The style was renamed.',
  isDefault: 'New codes get this style now.',
  noDefault: 'New codes are plain now.',
  deleted: 'The style was deleted. Codes that have got it keep their design.',
};

export type StylesFlash = keyof typeof stylesFlashTexts;
