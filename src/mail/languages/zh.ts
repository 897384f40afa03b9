import {
  type FactorChange,
  linesOf,
  type MailedName,
  type MailTexts,
  type MembershipTexts,
  type NoticeTexts,
  oneOrMany,
} from '../mail-texts.ts';

const number = new Intl.NumberFormat('zh');
const andMore = (count: number) => `以及另外 ${count} 个`;

const notices: NoticeTexts = {
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
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `上周共 ${number.format(scans)} 次扫描`,
    paragraphs: [
      `${from}至${to}，您的二维码共被扫描 ${number.format(scans)} 次，前一周为 ${number.format(before)} 次。`,
      ...(top.length > 0 ? ['扫描最多的二维码：'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}：${number.format(own)}`),
    action: { label: '查看扫描', url: page },
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
      ({ name, url, failure }) =>
        `${name}：${url} ${failure === 'gone' ? '提示网页不存在' : '连续两天无法访问'}`,
      andMore,
    ),
    action: { label: '修改网址', url: page },
    notes: ['修改指向的网址后，已印刷的二维码仍可继续使用。'],
  }),
};

const roleNames = { owner: '所有者', editor: '编辑者', viewer: '查看者' };
const named = (workspace: MailedName) => (workspace === undefined ? '' : `“${workspace}”`);

const membership: MembershipTexts = {
  invited: ({ workspace, role, inviter, days }, link) => ({
    subject: '您受邀加入一个工作区',
    paragraphs: [
      `${inviter ?? '有人'} 邀请您加入工作区${named(workspace)}，与其他人一起管理二维码。您的角色：${roleNames[role]}。`,
    ],
    action: { label: '查看邀请', url: link },
    notes: [`此链接 ${days} 天内有效，且仅适用于此邮箱地址。`, '如果您不认识发件人，请忽略此邮件。'],
  }),
  joined: ({ workspace, email, role }, page) => ({
    subject: '您的工作区有了新成员',
    paragraphs: [`${email ?? '有人'} 接受了加入工作区${named(workspace)}的邀请。角色：${roleNames[role]}。`],
    action: { label: '查看成员', url: page },
  }),
  removed: (workspace) => ({
    subject: '您不再是某个工作区的成员',
    paragraphs: [`所有者已将您从工作区${named(workspace)}中移除。您无法再打开该工作区。`],
    notes: ['您的帐户和其他工作区保持不变。'],
  }),
  deleted: (workspace) => ({
    subject: '一个工作区已被删除',
    paragraphs: [
      `所有者已删除您曾加入的工作区${named(workspace)}。其中的二维码、API 密钥和 Webhook 均已失效。`,
    ],
  }),
  roleChanged: ({ workspace, role }, page) => ({
    subject: '您在工作区中的角色已更改',
    paragraphs: [`所有者更改了您在工作区${named(workspace)}中的角色。现在是：${roleNames[role]}。`],
    action: { label: '查看成员', url: page },
  }),
};

const factorChanges: Record<FactorChange, string> = {
  'app-on': '您的帐户已设置身份验证器应用。',
  'app-off': '您帐户的身份验证器应用已关闭。',
  'passkey-added': '您的帐户已添加通行密钥，可用它登录而无需密码。',
  'passkey-removed': '您的帐户已移除一个通行密钥。',
  'recovery-codes': '您的帐户已生成新的恢复代码，之前的代码不再有效。',
  'identity-added': '现在可以使用登录服务提供方的帐户登录您的帐户，而无需密码。',
  'identity-removed': '登录服务提供方的帐户不再能登录您的帐户。',
};

export const zh: MailTexts = {
  notices,
  membership,
  sentBy: (name, site) => `由 ${name} 发送：${site}`,
  questions: (contact) => `有疑问？请联系 ${contact}`,
  passwordReset: (link) => ({
    subject: '设置新密码',
    paragraphs: ['有人（可能是您本人）请求为您的帐户设置新密码。'],
    action: { label: '设置新密码', url: link },
    notes: [
      '此链接一小时内有效，只能使用一次。设置后，该帐户的所有其他会话都会退出登录。',
      '如果不是您本人操作，请忽略此邮件。您的密码不会改变。',
    ],
  }),
  signInLink: (link) => ({
    subject: '登录您的帐户',
    paragraphs: ['有人（可能是您本人）请求了登录您帐户的链接。'],
    action: { label: '登录', url: link },
    notes: [
      '此链接一小时内有效，只能使用一次。',
      '如果不是您本人操作，请忽略此邮件。没有此链接，任何人都无法登录。',
    ],
  }),
  signUp: (link) => ({
    subject: '完成注册',
    paragraphs: ['有人（可能是您本人）想用此邮箱地址注册。请打开链接设置密码。'],
    action: { label: '设置密码', url: link },
    notes: ['此链接 24 小时内有效。', '如果不是您本人操作，请忽略此邮件。不会创建任何帐户。'],
  }),
  alreadySignedUp: (signInPage, resetPage) => ({
    subject: '您已有帐户',
    paragraphs: ['有人（可能是您本人）想用此邮箱地址注册。该地址已有帐户。'],
    action: { label: '登录', url: signInPage },
    notes: [
      `如果您忘记了密码，请设置新密码：${resetPage}`,
      '如果不是您本人操作，您无需采取任何措施。对方并不知道您有帐户。',
    ],
  }),
  passwordChanged: (resetPage) => ({
    subject: '您的密码已更改',
    paragraphs: ['您帐户的密码已更改，所有其他会话都已退出登录。'],
    action: { label: '不是我本人操作', url: resetPage },
    notes: ['如果是您本人操作，则无需处理。'],
  }),
  confirmEmail: (email, link) => ({
    subject: '确认您的电子邮件地址',
    paragraphs: [`请确认 ${email} 是您帐户的地址。`],
    action: { label: '确认此地址', url: link },
    notes: ['此链接 24 小时内有效。', '如果您在这里没有帐户，请忽略此邮件，该地址将不会被确认。'],
  }),
  emailChanged: (newEmail) => ({
    subject: '您帐户的电子邮件地址已更改',
    paragraphs: [`您的帐户现在使用地址 ${newEmail}。与该帐户有关的邮件不再发送到本地址。`],
    notes: ['如果不是您本人更改，请联系服务的运营者。'],
  }),
  webhookDisabled: ({ name, isGone, link }) => ({
    subject: `您的 Webhook“${name}”已停用`,
    paragraphs: [
      isGone
        ? `您的 Webhook“${name}”所调用的程序返回了 410 (Gone)，因此该 Webhook 已停用。`
        : `您的 Webhook“${name}”的所有调用连续三天失败，因此该 Webhook 已停用。`,
    ],
    action: { label: '打开 Webhook', url: link },
    notes: ['在您重新启用之前，不会发送任何内容。启用后，您可以补发其间发生的事件。'],
  }),
  secondFactorChanged: (change, page) => ({
    subject: '您帐户的登录方式已更改',
    paragraphs: [factorChanges[change]],
    action: { label: '打开安全页面', url: page },
    notes: ['如果是您本人操作，则无需处理。', '如果不是，请设置新密码，并移除您不认识的应用和通行密钥。'],
  }),
  exportReady: (page) => ({
    subject: '您的数据导出已就绪',
    paragraphs: ['您请求的数据导出已就绪。'],
    action: { label: '下载导出文件', url: page },
    notes: ['文件保留七天。下载时需要登录。'],
  }),
  exportFailed: (page) => ({
    subject: '无法创建您的数据导出',
    paragraphs: ['无法创建您请求的数据导出。'],
    action: { label: '打开帐户页面', url: page },
    notes: ['页面上说明了原因和您可以采取的措施。'],
  }),
  test: (name) => ({
    subject: `${name} 测试邮件`,
    paragraphs: [`此邮件表明 ${name} 可以发送邮件。`],
  }),
};
