import { type CodeType, contentType } from '../../../codes/content/content-types.ts';

/** The languages of printed texts: those of the share pages. */
export const printLanguages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  zh: '中文',
} as const;
export type PrintLanguage = keyof typeof printLanguages;

const scanTexts: Record<PrintLanguage, string> = {
  en: 'Scan me',
  de: 'Scan mich',
  fr: 'Scannez-moi',
  es: 'Escanéame',
  pt: 'Aponte a câmera',
  zh: '扫一扫',
};

export function printText(type: CodeType, language: PrintLanguage): string {
  return (contentType(type).shown?.direct?.scanText ?? scanTexts)[language];
}

/** The language of the viewer, or English. */
export function printLanguageOf(locale: string): PrintLanguage {
  const [language = ''] = locale.split('-');
  return language in printLanguages ? (language as PrintLanguage) : 'en';
}
