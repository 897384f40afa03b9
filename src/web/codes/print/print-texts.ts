import type { CodeType } from '../../../codes/qr-code.ts';

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

const wifiTexts: Record<PrintLanguage, string> = {
  en: 'Scan to join the Wi-Fi',
  de: 'Scannen und ins WLAN',
  fr: 'Scannez pour le Wi-Fi',
  es: 'Escanea para usar el wifi',
  pt: 'Aponte a câmera para o Wi-Fi',
  zh: '扫码连接 Wi-Fi',
};

export function printText(type: CodeType, language: PrintLanguage): string {
  return (type === 'wifi' ? wifiTexts : scanTexts)[language];
}

/** The language of the viewer, or English. */
export function printLanguageOf(locale: string): PrintLanguage {
  const [language = ''] = locale.split('-');
  return language in printLanguages ? (language as PrintLanguage) : 'en';
}
