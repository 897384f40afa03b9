import { linesOf, type NoticeTexts, oneOrMany } from '../notice-texts.ts';

const number = new Intl.NumberFormat('es');
const daysText = (days: number) => (days === 1 ? '1 día' : `${days} días`);
const scansText = (scans: number) => (scans === 1 ? '1 escaneo' : `${number.format(scans)} escaneos`);
const andMore = (count: number) => `y ${count} más`;

export const es: NoticeTexts = {
  unsubscribe: 'No recibir más correos de este tipo',
  ending: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name, days }) => `«${name}» caduca en ${daysText(days)}`,
      (count) => `${count} códigos QR caducan pronto`,
    ),
    paragraphs: ['Cuando caduca, un código QR deja de funcionar, también donde está impreso.'],
    items: linesOf(codes, ({ name, days }) => `${name}: queda menos de ${daysText(days)}`, andMore),
    action: { label: 'Renovar los códigos', url: page },
    notes: [],
  }),
  firstScan: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `«${name}» se ha escaneado por primera vez`,
      (count) => `${count} códigos QR se han escaneado por primera vez`,
    ),
    paragraphs: ['Sus códigos QR están en uso. Se han escaneado por primera vez:'],
    items: linesOf(codes, ({ name }) => name, andMore),
    action: { label: 'Ver los escaneos', url: page },
    notes: [],
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `${scansText(scans)} la semana pasada`,
    paragraphs: [
      `Del ${from} al ${to}, sus códigos QR tuvieron ${scansText(scans)}. La semana anterior fueron ${number.format(before)}.`,
      ...(top.length > 0 ? ['Los más escaneados:'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}: ${number.format(own)}`),
    action: { label: 'Ver los escaneos', url: page },
    notes: [],
  }),
  silence: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `Hoy no hay escaneos de «${name}»`,
      (count) => `Hoy no hay escaneos de ${count} códigos QR`,
    ),
    paragraphs: [
      'Estos códigos QR se escanean normalmente todos los días. Compruebe que siguen en su sitio.',
    ],
    items: linesOf(
      codes,
      ({ name, usual }) => `${name}: normalmente ${number.format(usual)} al día, hoy ninguno`,
      andMore,
    ),
    action: { label: 'Abrir sus códigos', url: page },
    notes: [],
  }),
  destination: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `«${name}» lleva a una página que no funciona`,
      (count) => `${count} códigos QR llevan a páginas que no funcionan`,
    ),
    paragraphs: ['Quienes escanean estos códigos QR no ven lo que usted quiere mostrarles.'],
    items: linesOf(
      codes,
      ({ name, url, problem }) =>
        `${name}: ${url} ${problem === 'gone' ? 'responde que la página no existe' : 'no estuvo disponible dos días seguidos'}`,
      andMore,
    ),
    action: { label: 'Cambiar la dirección', url: page },
    notes: ['Los códigos impresos siguen siendo los mismos cuando cambia adónde llevan.'],
  }),
};
