import { linesOf, type NoticeTexts, oneOrMany } from '../notice-texts.ts';

const number = new Intl.NumberFormat('de');
const daysText = (days: number) => (days === 1 ? '1 Tag' : `${days} Tagen`);
const daysLeft = (days: number) => (days === 1 ? '1 Tag' : `${days} Tage`);
const scansText = (scans: number) => (scans === 1 ? '1 Scan' : `${number.format(scans)} Scans`);
const andMore = (count: number) => `und ${count} weitere`;

export const de: NoticeTexts = {
  unsubscribe: 'Solche E-Mails abbestellen',
  ending: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name, days }) => `„${name}“ läuft in ${daysText(days)} ab`,
      (count) => `${count} QR-Codes laufen bald ab`,
    ),
    paragraphs: ['Ein abgelaufener QR-Code funktioniert nicht mehr, auch nicht dort, wo er gedruckt ist.'],
    items: linesOf(codes, ({ name, days }) => `${name}: noch weniger als ${daysLeft(days)}`, andMore),
    action: { label: 'Codes verlängern', url: page },
    notes: [],
  }),
  firstScan: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `„${name}“ wurde zum ersten Mal gescannt`,
      (count) => `${count} QR-Codes wurden zum ersten Mal gescannt`,
    ),
    paragraphs: ['Ihre QR-Codes sind im Einsatz. Zum ersten Mal gescannt wurden:'],
    items: linesOf(codes, ({ name }) => name, andMore),
    action: { label: 'Scans ansehen', url: page },
    notes: [],
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `${scansText(scans)} in der letzten Woche`,
    paragraphs: [
      `Vom ${from} bis ${to} hatten Ihre QR-Codes ${scansText(scans)}. In der Woche davor waren es ${number.format(before)}.`,
      ...(top.length > 0 ? ['Am häufigsten gescannt:'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}: ${number.format(own)}`),
    action: { label: 'Scans ansehen', url: page },
    notes: [],
  }),
  silence: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `Heute keine Scans von „${name}“`,
      (count) => `Heute keine Scans von ${count} QR-Codes`,
    ),
    paragraphs: [
      'Diese QR-Codes werden sonst jeden Tag gescannt. Prüfen Sie, ob sie noch an ihrem Platz sind.',
    ],
    items: linesOf(
      codes,
      ({ name, usual }) => `${name}: sonst ${number.format(usual)} am Tag, heute keiner`,
      andMore,
    ),
    action: { label: 'Codes öffnen', url: page },
    notes: [],
  }),
  destination: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `„${name}“ führt zu einer Seite, die nicht funktioniert`,
      (count) => `${count} QR-Codes führen zu Seiten, die nicht funktionieren`,
    ),
    paragraphs: ['Wer diese QR-Codes scannt, sieht nicht, was Sie zeigen wollen.'],
    items: linesOf(
      codes,
      ({ name, url, problem }) =>
        `${name}: ${url} ${problem === 'gone' ? 'meldet, dass es die Seite nicht gibt' : 'war an zwei Tagen nacheinander nicht erreichbar'}`,
      andMore,
    ),
    action: { label: 'Adresse ändern', url: page },
    notes: ['Gedruckte Codes bleiben gleich, wenn Sie ändern, wohin sie führen.'],
  }),
};
