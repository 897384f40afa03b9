import { LRUCache } from 'lru-cache';
import { type Language, preferredLanguage } from '../http/preferred-language.ts';

/** What all share pages say, in one language. The texts of a content type are in its module. */
export interface Translation {
  language: Language;
  /** For the `lang` attribute. */
  lang: string;
  copied: string;
  /** Shown when the browser does not let a page copy: the text is selected instead. */
  marked: string;
  tryAgain: string;
  reportAbuse: string;
  notFound: Notice;
  expired: Notice;
  blocked: Notice;
  /** The owner has deleted the file that the code opens. */
  fileRemoved: Notice;
  method: Notice;
  unavailable: Notice;
}

interface Notice {
  title: string;
  text: string;
}

// Browsers send few different headers, all of them shorter. The limits bound the memory that forged ones take.
const maxHeaderLength = 200;
const cache = new LRUCache<string, Translation>({ max: 500 });

/** The language that the browser prefers among ours; English if it accepts none of them. */
export function chooseTranslation(acceptLanguage: string | undefined): Translation {
  if (!acceptLanguage) return en;
  const header = acceptLanguage.slice(0, maxHeaderLength);
  const known = cache.get(header);
  if (known) return known;
  const chosen = translations[preferredLanguage(header)];
  cache.set(header, chosen);
  return chosen;
}

export const en: Translation = {
  language: 'en',
  lang: 'en',
  copied: 'Copied',
  marked: 'Selected. You can copy it now.',
  tryAgain: 'Try again',
  reportAbuse: 'Report abuse',
  notFound: {
    title: 'Nothing here',
    text: 'This code doesn’t exist, or its owner no longer shares it. Ask whoever gave you the code.',
  },
  expired: { title: 'This code has expired', text: 'Its owner can renew it. Ask whoever gave you the code.' },
  blocked: { title: 'This code was taken down', text: 'It was blocked for abuse and no longer works.' },
  fileRemoved: {
    title: 'This file was removed',
    text: 'Its owner can upload another one. Ask whoever gave you the code.',
  },
  method: {
    title: 'This address can only be opened',
    text: 'This address only shows what a QR code contains. It does not accept data.',
  },
  unavailable: {
    title: 'Just a moment',
    text: 'We can’t look up this code right now. Please try again in a few seconds.',
  },
};

const de: Translation = {
  language: 'de',
  lang: 'de',
  copied: 'Kopiert',
  marked: 'Markiert und bereit zum Kopieren.',
  tryAgain: 'Noch einmal versuchen',
  reportAbuse: 'Missbrauch melden',
  notFound: {
    title: 'Hier ist nichts',
    text: 'Diesen Code gibt es nicht, oder er wird nicht mehr geteilt. Am besten dort nachfragen, wo er herkommt.',
  },
  expired: {
    title: 'Dieser Code ist abgelaufen',
    text: 'Wer ihn erstellt hat, kann ihn verlängern. Am besten dort nachfragen.',
  },
  blocked: {
    title: 'Dieser Code wurde gesperrt',
    text: 'Er wurde wegen Missbrauchs gesperrt und funktioniert nicht mehr.',
  },
  fileRemoved: {
    title: 'Diese Datei wurde entfernt',
    text: 'Wer den Code erstellt hat, kann eine andere hochladen. Am besten dort nachfragen.',
  },
  method: {
    title: 'Diese Adresse lässt sich nur öffnen',
    text: 'Sie zeigt, was hinter einem QR-Code steckt, und nimmt nichts entgegen.',
  },
  unavailable: {
    title: 'Einen Moment bitte',
    text: 'Der Code lässt sich gerade nicht abrufen. Bitte in ein paar Sekunden noch einmal versuchen.',
  },
};

const fr: Translation = {
  language: 'fr',
  lang: 'fr',
  copied: 'Copié',
  marked: 'Sélectionné : vous pouvez le copier.',
  tryAgain: 'Réessayer',
  reportAbuse: 'Signaler un abus',
  notFound: {
    title: 'Il n’y a rien ici',
    text: 'Ce code n’existe pas, ou il n’est plus partagé. Demandez à qui vous l’a donné.',
  },
  expired: {
    title: 'Ce code a expiré',
    text: 'La personne qui l’a créé peut le renouveler. Demandez à qui vous l’a donné.',
  },
  blocked: { title: 'Ce code a été retiré', text: 'Il a été bloqué pour abus et ne fonctionne plus.' },
  fileRemoved: {
    title: 'Ce fichier a été supprimé',
    text: 'La personne qui a créé le code peut en ajouter un autre. Demandez à qui vous l’a donné.',
  },
  method: {
    title: 'Cette adresse peut seulement être ouverte',
    text: 'Elle montre ce que contient un code QR et n’accepte aucun envoi.',
  },
  unavailable: {
    title: 'Un instant',
    text: 'Ce code est momentanément indisponible. Réessayez dans quelques secondes.',
  },
};

const es: Translation = {
  language: 'es',
  lang: 'es',
  copied: 'Copiado',
  marked: 'Seleccionado. Ya puedes copiarlo.',
  tryAgain: 'Intentar de nuevo',
  reportAbuse: 'Denunciar un abuso',
  notFound: {
    title: 'Aquí no hay nada',
    text: 'Este código no existe o ya no se comparte. Pregunta a la persona que te lo dio.',
  },
  expired: {
    title: 'Este código ha caducado',
    text: 'Quien lo creó puede renovarlo. Pregunta a la persona que te lo dio.',
  },
  blocked: { title: 'Este código ha sido retirado', text: 'Se bloqueó por abuso y ya no funciona.' },
  fileRemoved: {
    title: 'Este archivo se ha eliminado',
    text: 'Quien creó el código puede subir otro. Pregunta a la persona que te lo dio.',
  },
  method: {
    title: 'Esta dirección solo se puede abrir',
    text: 'Muestra lo que hay detrás de un código QR y no acepta envíos.',
  },
  unavailable: {
    title: 'Un momento',
    text: 'Ahora mismo no podemos consultar este código. Inténtalo de nuevo en unos segundos.',
  },
};

const pt: Translation = {
  language: 'pt',
  lang: 'pt',
  copied: 'Copiado',
  marked: 'Selecionado. Agora é só copiar.',
  tryAgain: 'Tentar novamente',
  reportAbuse: 'Denunciar abuso',
  notFound: {
    title: 'Não há nada aqui',
    text: 'Este código não existe ou não é mais compartilhado. Fale com quem passou o código para você.',
  },
  expired: {
    title: 'Este código expirou',
    text: 'Quem o criou pode renová-lo. Fale com quem passou o código para você.',
  },
  blocked: {
    title: 'Este código foi retirado do ar',
    text: 'Ele foi bloqueado por abuso e não funciona mais.',
  },
  fileRemoved: {
    title: 'Este arquivo foi removido',
    text: 'Quem criou o código pode enviar outro. Fale com quem passou o código para você.',
  },
  method: {
    title: 'Este endereço só pode ser aberto',
    text: 'Ele mostra o que há por trás de um QR code e não aceita envios.',
  },
  unavailable: {
    title: 'Só um momento',
    text: 'Não conseguimos consultar este código agora. Tente novamente em alguns segundos.',
  },
};

const zh: Translation = {
  language: 'zh',
  lang: 'zh-Hans',
  copied: '已复制',
  marked: '已选中，现在可以复制了。',
  tryAgain: '重试',
  reportAbuse: '举报滥用',
  notFound: { title: '这里什么都没有', text: '此二维码不存在，或其所有者已停止分享。请联系提供二维码的人。' },
  expired: { title: '此二维码已过期', text: '所有者可以续期，请联系提供二维码的人。' },
  blocked: { title: '此二维码已被封禁', text: '它因滥用被封禁，已无法使用。' },
  fileRemoved: { title: '此文件已被移除', text: '所有者可以上传新的文件，请联系提供二维码的人。' },
  method: { title: '此地址只能打开查看', text: '它用于显示二维码的内容，不接收任何提交。' },
  unavailable: { title: '请稍候', text: '暂时无法查询此二维码，请过几秒再试。' },
};

const translations: Record<Language, Translation> = { en, de, fr, es, pt, zh };
