import { linesOf, type NoticeTexts, oneOrMany } from '../notice-texts.ts';

const number = new Intl.NumberFormat('zh');
const andMore = (count: number) => `以及另外 ${count} 个`;

export const zh: NoticeTexts = {
  unsubscribe: '不再接收此类邮件',
  ending: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name, days }) => `“${name}”将在 ${days} 天内到期`,
      (count) => `${count} 个二维码即将到期`,
    ),
    paragraphs: ['二维码到期后将无法使用，已印刷的也一样。'],
    items: linesOf(codes, ({ name, days }) => `${name}：剩余不到 ${days} 天`, andMore),
    action: { label: '续期', url: page },
    notes: [],
  }),
  firstScan: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `“${name}”首次被扫描`,
      (count) => `${count} 个二维码首次被扫描`,
    ),
    paragraphs: ['您的二维码已投入使用。以下二维码首次被扫描：'],
    items: linesOf(codes, ({ name }) => name, andMore),
    action: { label: '查看扫描', url: page },
    notes: [],
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `上周共 ${number.format(scans)} 次扫描`,
    paragraphs: [
      `${from}至${to}，您的二维码共被扫描 ${number.format(scans)} 次，前一周为 ${number.format(before)} 次。`,
      ...(top.length > 0 ? ['扫描最多的二维码：'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}：${number.format(own)}`),
    action: { label: '查看扫描', url: page },
    notes: [],
  }),
  silence: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `“${name}”今天没有扫描`,
      (count) => `${count} 个二维码今天没有扫描`,
    ),
    paragraphs: ['这些二维码平时每天都有人扫描。请检查它们是否还在原处。'],
    items: linesOf(
      codes,
      ({ name, usual }) => `${name}：平时每天 ${number.format(usual)} 次，今天没有`,
      andMore,
    ),
    action: { label: '打开您的二维码', url: page },
    notes: [],
  }),
  destination: (codes, page) => ({
    subject: oneOrMany(
      codes,
      ({ name }) => `“${name}”指向的网页无法打开`,
      (count) => `${count} 个二维码指向的网页无法打开`,
    ),
    paragraphs: ['扫描这些二维码的人看不到您想展示的内容。'],
    items: linesOf(
      codes,
      ({ name, url, problem }) =>
        `${name}：${url} ${problem === 'gone' ? '提示网页不存在' : '连续两天无法访问'}`,
      andMore,
    ),
    action: { label: '修改网址', url: page },
    notes: ['修改指向的网址后，已印刷的二维码仍可继续使用。'],
  }),
};
