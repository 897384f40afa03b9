/** Texts that are offered for a frame, in the languages of the share pages. */
export const frameTexts = {
  en: ['Scan me', 'Scan for the menu', 'Get in touch'],
  de: ['Scan mich', 'Zur Speisekarte', 'Jetzt scannen'],
  es: ['Escanéame', 'Ver la carta', 'Contáctanos'],
  fr: ['Scannez-moi', 'Voir la carte', 'Contactez-nous'],
  pt: ['Aponte a câmera', 'Ver o cardápio', 'Fale conosco'],
  zh: ['扫一扫', '扫码点餐', '联系我们'],
} as const;
