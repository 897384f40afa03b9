import { linesOf, type NoticeTexts, oneOrMany } from '../notice-texts.ts';

const number = new Intl.NumberFormat('fr');
const daysText = (days: number) => (days === 1 ? '1 jour' : `${days} jours`);
const scansText = (scans: number) => (scans === 1 ? '1 scan' : `${number.format(scans)} scans`);
const andMore = (count: number) => `et ${count} ${count === 1 ? 'autre' : 'autres'}`;

export const fr: NoticeTexts = {
  unsubscribe: 'Ne plus recevoir ce type d’e-mail',
  ending: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name, days }) => `«\u00a0${name}\u00a0» expire dans ${daysText(days)}`,
      (count) => `${count} codes QR expirent bientôt`,
    ),
    paragraphs: ['Une fois expiré, un code QR ne fonctionne plus, même là où il est imprimé.'],
    items: linesOf(codes, ({ name, days }) => `${name}\u00a0: il reste moins de ${daysText(days)}`, andMore),
    action: { label: 'Prolonger les codes', url: page },
    notes: [],
  }),
  firstScan: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `«\u00a0${name}\u00a0» a été scanné pour la première fois`,
      (count) => `${count} codes QR ont été scannés pour la première fois`,
    ),
    paragraphs: ['Vos codes QR sont utilisés. Scannés pour la première fois\u00a0:'],
    items: linesOf(codes, ({ name }) => name, andMore),
    action: { label: 'Voir les scans', url: page },
    notes: [],
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `${scansText(scans)} la semaine dernière`,
    paragraphs: [
      `Du ${from} au ${to}, vos codes QR ont eu ${scansText(scans)}, contre ${number.format(before)} la semaine précédente.`,
      ...(top.length > 0 ? ['Les plus scannés\u00a0:'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}\u00a0: ${number.format(own)}`),
    action: { label: 'Voir les scans', url: page },
    notes: [],
  }),
  silence: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `Aucun scan de «\u00a0${name}\u00a0» aujourd’hui`,
      (count) => `Aucun scan de ${count} codes QR aujourd’hui`,
    ),
    paragraphs: [
      'D’habitude, ces codes QR sont scannés tous les jours. Vérifiez qu’ils sont toujours en place.',
    ],
    items: linesOf(
      codes,
      ({ name, usual }) => `${name}\u00a0: d’habitude ${number.format(usual)} par jour, aucun aujourd’hui`,
      andMore,
    ),
    action: { label: 'Ouvrir vos codes', url: page },
    notes: [],
  }),
  destination: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `«\u00a0${name}\u00a0» mène à une page qui ne fonctionne pas`,
      (count) => `${count} codes QR mènent à des pages qui ne fonctionnent pas`,
    ),
    paragraphs: ['Les personnes qui scannent ces codes QR ne voient pas ce que vous voulez leur montrer.'],
    items: linesOf(
      codes,
      ({ name, url, problem }) =>
        `${name}\u00a0: ${url} ${problem === 'gone' ? 'répond que la page n’existe pas' : 'était injoignable deux jours de suite'}`,
      andMore,
    ),
    action: { label: 'Modifier l’adresse', url: page },
    notes: ['Les codes imprimés restent les mêmes lorsque vous changez leur destination.'],
  }),
};
