import { maxLabelLength } from '../../../schema.ts';
import { type Paper, paperNames, papers } from '../../../codes/print/labels.ts';
import { type CodeType, contentType } from '../../../codes/content/content-types.ts';
import { printedTitle } from '../../../codes/public-title.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import type { FormError } from '../../ui/controls.tsx';
import { isDirectFirst } from '../downloads.tsx';

export const printFormats = {
  poster: { name: 'Poster', widthMm: 150, maxMm: 180 },
  tent: { name: 'Table tent', widthMm: 80, maxMm: 100 },
  sticker: { name: 'Stickers', widthMm: 40, maxMm: 90 },
  card: { name: 'Business cards', widthMm: 32, maxMm: 42 },
} as const;
type PrintFormat = keyof typeof printFormats;

const minMm = 10;
const maxTextLength = 200;
/** Printers leave this blank on each side: as in print.css. */
const marginMm = 5;
/** Around the code of a sticker, and below it for its texts: as in print.css. */
const stickerEdgeMm = 8;
const stickerTextMm = { short: 14, small: 14, tall: 24, cut: 24 };
/** Average width of a letter, relative to the size of the font; bold, and with room for words that do not break. */
const letterWidth = 0.62;
/** Fonts and lines of a sticker's title: as in print.css. */
const stickerTitles = {
  short: { fontMm: 4, lines: 2 },
  small: { fontMm: 3, lines: 3 },
  tall: { fontMm: 3, lines: 5 },
};
const cardsPerSheet = 10;

export interface PrintSettings {
  format: PrintFormat;
  paper: Paper;
  widthMm: number;
  title: string;
  /** The role of a contact, below its name. */
  subtitle: string;
  text: string;
  /** Used if the owner gives none. */
  defaultText: string;
  language: PrintLanguage;
  isDirect: boolean;
  heightPerWidth: number;
  /** How often the code is on the sheet. */
  copies: number;
  /** Of a sticker. `cut`: even with the smaller font, the title does not fit. */
  titleSize: keyof typeof stickerTextMm;
}

/** The shape of the printed picture. */
interface PrintedShape {
  heightPerWidth: number;
  hasFrameText: boolean;
}

/** The settings in the address of the page, with defaults for what is missing or invalid. */
export function readPrintSettings(
  query: Map<string, string[]>,
  code: QrCode,
  locale: string,
  shapeOf: (isDirect: boolean) => PrintedShape,
): { settings: PrintSettings; values: Record<string, string>; errors: FormError[] } {
  const given = (name: string) => query.get(name)?.[0]?.replaceAll('\0', '').toWellFormed().trim();
  const errors: FormError[] = [];
  const format = pick(Object.keys(printFormats) as PrintFormat[], given('format')) ?? 'poster';
  const paper = pick(paperNames, given('paper')) ?? paperOf(locale);
  const languages = Object.keys(printLanguages) as PrintLanguage[];
  const language = pick(languages, given('language')) ?? printLanguageOf(locale);
  const isDirect = (given('holds') ?? (isDirectFirst(code) ? 'content' : 'link')) === 'content';
  const { heightPerWidth, hasFrameText } = shapeOf(isDirect);
  // The limits of a format are those of the longer side: a frame makes the picture higher.
  const [defaultMm, maxMm] = [printFormats[format].widthMm, printFormats[format].maxMm].map((side) =>
    Math.floor(side / Math.max(1, heightPerWidth)),
  ) as [number, number];
  // A width of another format is replaced, unless it fits this one too.
  const width = given('shown') === format ? (given('width') ?? '') : '';
  const widthMm = width === '' ? defaultMm : readMillimeters(width);
  if (!(widthMm >= minMm && widthMm <= maxMm))
    errors.push({ field: 'width', message: `must be a number from ${minMm} to ${maxMm}` });
  const cut = (text: string, max: number) => [...text].slice(0, max).join('');
  const printed = printedTitle(code);
  const title = cut(given('title') ?? printed.title, maxLabelLength);
  const text = cut(given('text') ?? '', maxTextLength);
  // What the frame says already is not repeated.
  const defaultText = hasFrameText ? '' : printText(code.type, language);
  const settings = {
    format,
    paper,
    language,
    isDirect,
    title,
    // It belongs to the name of the contact, which another title replaces.
    subtitle: title === cut(printed.title, maxLabelLength) ? cut(printed.subtitle, maxTextLength) : '',
    text: text || defaultText,
    defaultText,
    heightPerWidth,
    widthMm: errors.length > 0 ? defaultMm : widthMm,
  };
  const values = {
    format,
    paper,
    language,
    title,
    text,
    holds: isDirect ? 'content' : 'link',
    width: width || String(defaultMm),
  };
  const titleSize = titleSizeOf(settings);
  return {
    settings: { ...settings, titleSize, copies: copiesOf({ ...settings, titleSize }) },
    values,
    errors,
  };
}

/** A long title gets more lines and a smaller font. Letters of Chinese, Japanese and Korean are twice as wide. */
function titleSizeOf({
  title,
  widthMm,
}: Pick<PrintSettings, 'title' | 'widthMm'>): PrintSettings['titleSize'] {
  const letters = [...title].reduce((sum, letter) => sum + (letter.charCodeAt(0) < 0x2e80 ? 1 : 1.6), 0);
  const fits = ({ fontMm, lines }: { fontMm: number; lines: number }) =>
    letters <= Math.floor(widthMm / (fontMm * letterWidth)) * lines;
  const sizes = Object.keys(stickerTitles) as (keyof typeof stickerTitles)[];
  return sizes.find((size) => fits(stickerTitles[size])) ?? 'cut';
}

function copiesOf(settings: Omit<PrintSettings, 'copies'>): number {
  const { format, paper, widthMm, heightPerWidth, titleSize } = settings;
  switch (format) {
    case 'poster':
      return 1;
    case 'tent':
      return 2;
    case 'card':
      return cardsPerSheet;
    case 'sticker': {
      const textMm = stickerTextMm[titleSize];
      const { widthMm: paperWidth, heightMm: paperHeight } = papers[paper];
      const across = Math.floor((paperWidth - 2 * marginMm) / (widthMm + stickerEdgeMm));
      const down = Math.floor(
        (paperHeight - 2 * marginMm) / (widthMm * heightPerWidth + stickerEdgeMm + textMm),
      );
      return across * down;
    }
  }
}

/** Letter is the paper of North America. */
export function paperOf(locale: string): Paper {
  return /-(?:US|CA|MX)$/.test(locale) ? 'Letter' : 'A4';
}

function readMillimeters(text: string): number {
  return /^\d{1,3}(?:[.,]\d{1,2})?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
}

function pick<Value extends string>(values: readonly Value[], text: string | undefined): Value | undefined {
  return values.find((value) => value === text);
}

/** The languages of printed texts: those of the share pages. */
export const printLanguages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  zh: '中文',
} as const;
type PrintLanguage = keyof typeof printLanguages;

const scanTexts: Record<PrintLanguage, string> = {
  en: 'Scan me',
  de: 'Scan mich',
  fr: 'Scannez-moi',
  es: 'Escanéame',
  pt: 'Aponte a câmera',
  zh: '扫一扫',
};

function printText(type: CodeType, language: PrintLanguage): string {
  return (contentType(type).shown?.direct?.scanText ?? scanTexts)[language];
}

/** The language of the viewer, or English. */
function printLanguageOf(locale: string): PrintLanguage {
  const [language = ''] = locale.split('-');
  return language in printLanguages ? (language as PrintLanguage) : 'en';
}
