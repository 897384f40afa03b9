import { linesOf, type NoticeTexts, oneOrMany } from '../notice-texts.ts';

const number = new Intl.NumberFormat('pt');
const daysText = (days: number) => (days === 1 ? '1 dia' : `${days} dias`);
const scansText = (scans: number) => (scans === 1 ? '1 leitura' : `${number.format(scans)} leituras`);
const andMore = (count: number) => `e mais ${count}`;

export const pt: NoticeTexts = {
  unsubscribe: 'Não receber mais e-mails deste tipo',
  ending: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name, days }) => `“${name}” expira em ${daysText(days)}`,
      (count) => `${count} QR codes expiram em breve`,
    ),
    paragraphs: ['Depois de expirar, um QR code deixa de funcionar, mesmo onde está impresso.'],
    items: linesOf(codes, ({ name, days }) => `${name}: falta menos de ${daysText(days)}`, andMore),
    action: { label: 'Renovar os códigos', url: page },
    notes: [],
  }),
  firstScan: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `“${name}” foi lido pela primeira vez`,
      (count) => `${count} QR codes foram lidos pela primeira vez`,
    ),
    paragraphs: ['Os seus QR codes estão em uso. Foram lidos pela primeira vez:'],
    items: linesOf(codes, ({ name }) => name, andMore),
    action: { label: 'Ver as leituras', url: page },
    notes: [],
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `${scansText(scans)} na última semana`,
    paragraphs: [
      `De ${from} a ${to}, os seus QR codes tiveram ${scansText(scans)}. Na semana anterior, foram ${number.format(before)}.`,
      ...(top.length > 0 ? ['Os mais lidos:'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}: ${number.format(own)}`),
    action: { label: 'Ver as leituras', url: page },
    notes: [],
  }),
  silence: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `Nenhuma leitura de “${name}” hoje`,
      (count) => `Nenhuma leitura de ${count} QR codes hoje`,
    ),
    paragraphs: ['Estes QR codes costumam ser lidos todos os dias. Verifique se ainda estão no lugar.'],
    items: linesOf(
      codes,
      ({ name, usual }) => `${name}: normalmente ${number.format(usual)} por dia, hoje nenhuma`,
      andMore,
    ),
    action: { label: 'Abrir os seus códigos', url: page },
    notes: [],
  }),
  destination: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `“${name}” leva a uma página que não funciona`,
      (count) => `${count} QR codes levam a páginas que não funcionam`,
    ),
    paragraphs: ['Quem lê estes QR codes não vê o que você quer mostrar.'],
    items: linesOf(
      codes,
      ({ name, url, problem }) =>
        `${name}: ${url} ${problem === 'gone' ? 'responde que a página não existe' : 'não pôde ser acessado por dois dias seguidos'}`,
      andMore,
    ),
    action: { label: 'Alterar o endereço', url: page },
    notes: ['Os códigos impressos continuam os mesmos quando você muda para onde eles levam.'],
  }),
};
