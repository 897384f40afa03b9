import { linesOf, type NoticeTexts, oneOrMany } from '../notice-texts.ts';

const number = new Intl.NumberFormat('en');
const daysText = (days: number) => (days === 1 ? '1 day' : `${days} days`);
const scansText = (scans: number) => (scans === 1 ? '1 scan' : `${number.format(scans)} scans`);
const andMore = (count: number) => `and ${count} more`;

export const en: NoticeTexts = {
  unsubscribe: 'Stop emails of this kind',
  ending: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name, days }) => `“${name}” ends in ${daysText(days)}`,
      (count) => `${count} QR codes end soon`,
    ),
    paragraphs: ['After its end, the share link of a QR code stops working, also where it is printed.'],
    items: linesOf(codes, ({ name, days }) => `${name}: less than ${daysText(days)} left`, andMore),
    action: { label: 'Renew codes', url: page },
    notes: [],
  }),
  firstScan: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `“${name}” was scanned for the first time`,
      (count) => `${count} QR codes were scanned for the first time`,
    ),
    paragraphs: ['Your QR codes are out there: these were scanned for the first time.'],
    items: linesOf(codes, ({ name }) => name, andMore),
    action: { label: 'See the scans', url: page },
    notes: [],
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `${scansText(scans)} last week`,
    paragraphs: [
      `From ${from} to ${to}, your QR codes had ${scansText(scans)}. In the week before, it was ${number.format(before)}.`,
      ...(top.length > 0 ? ['Most scanned:'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}: ${number.format(own)}`),
    action: { label: 'See the scans', url: page },
    notes: [],
  }),
  silence: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `No scans of “${name}” today`,
      (count) => `No scans of ${count} QR codes today`,
    ),
    paragraphs: ['These QR codes are usually scanned every day. Check whether they are still in place.'],
    items: linesOf(
      codes,
      ({ name, usual }) => `${name}: usually ${number.format(usual)} a day, none today`,
      andMore,
    ),
    action: { label: 'Open your codes', url: page },
    notes: [],
  }),
  destination: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `“${name}” leads to a page that does not work`,
      (count) => `${count} QR codes lead to pages that do not work`,
    ),
    paragraphs: ['People who scan these QR codes do not see what you want to show them.'],
    items: linesOf(
      codes,
      ({ name, url, problem }) =>
        `${name}: ${url} ${problem === 'gone' ? 'says that the page does not exist' : 'could not be reached, two days in a row'}`,
      andMore,
    ),
    action: { label: 'Change the address', url: page },
    notes: ['The printed codes stay the same when you change where they lead.'],
  }),
};
