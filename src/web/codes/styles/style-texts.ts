/** Messages after an action on a style. */
export const stylesFlashTexts = {
  created: 'Style saved.',
  renamed: 'The style was renamed.',
  isDefault: 'New codes get this style now.',
  noDefault: 'New codes are plain now.',
  deleted: 'The style was deleted. Codes that have got it keep their design.',
};

export type StylesFlash = keyof typeof stylesFlashTexts;
