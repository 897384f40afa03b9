import {
  type FactorChange,
  linesOf,
  type MailedName,
  type MailTexts,
  type MembershipTexts,
  type NoticeTexts,
  oneOrMany,
} from '../mail-texts.ts';

const number = new Intl.NumberFormat('en');
const daysText = (days: number) => (days === 1 ? '1 day' : `${days} days`);
const scansText = (scans: number) => (scans === 1 ? '1 scan' : `${number.format(scans)} scans`);
const andMore = (count: number) => `and ${count} more`;

const notices: NoticeTexts = {
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
  }),
  weekly: ({ from, to, scans, before, top }, page) => ({
    subject: `${scansText(scans)} last week`,
    paragraphs: [
      `From ${from} to ${to}, your QR codes had ${scansText(scans)}. In the week before, it was ${number.format(before)}.`,
      ...(top.length > 0 ? ['Most scanned:'] : []),
    ],
    items: top.map(({ name, scans: own }) => `${name}: ${number.format(own)}`),
    action: { label: 'See the scans', url: page },
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
      ({ name, url, failure }) =>
        `${name}: ${url} ${failure === 'gone' ? 'says that the page does not exist' : 'could not be reached, two days in a row'}`,
      andMore,
    ),
    action: { label: 'Change the address', url: page },
    notes: ['The printed codes stay the same when you change where they lead.'],
  }),
};

const roleNames = { owner: 'owner', editor: 'editor', viewer: 'viewer' };
const article = { owner: 'an', editor: 'an', viewer: 'a' };
const named = (workspace: MailedName) =>
  workspace === undefined ? 'a workspace' : `the workspace “${workspace}”`;

const membership: MembershipTexts = {
  invited: ({ workspace, role, inviter, days }, link) => ({
    subject: 'You are invited to a workspace',
    paragraphs: [
      `${inviter ?? 'Somebody'} invites you to ${named(workspace)}, where people work together on QR codes. You will be ${article[role]} ${roleNames[role]}.`,
    ],
    action: { label: 'See the invitation', url: link },
    notes: [
      `The link works for ${daysText(days)}, and only for this email address.`,
      'If you do not know the sender, ignore this email.',
    ],
  }),
  joined: ({ workspace, email, role }, page) => ({
    subject: 'Somebody joined your workspace',
    paragraphs: [
      `${email ?? 'Somebody'} accepted an invitation to ${named(workspace)}. Their role is: ${roleNames[role]}.`,
    ],
    action: { label: 'See the members', url: page },
  }),
  removed: (workspace) => ({
    subject: 'You are no longer a member of a workspace',
    paragraphs: [`An owner removed you from ${named(workspace)}. You cannot open it any more.`],
    notes: ['Your account and your other workspaces stay as they are.'],
  }),
  deleted: (workspace) => ({
    subject: 'A workspace was deleted',
    paragraphs: [
      `One of its owners deleted ${named(workspace)}, of which you were a member. Its codes, API keys and webhooks no longer work.`,
    ],
  }),
  roleChanged: ({ workspace, role }, page) => ({
    subject: 'Your role in a workspace was changed',
    paragraphs: [`An owner changed your role in ${named(workspace)}. It is now: ${roleNames[role]}.`],
    action: { label: 'See the members', url: page },
  }),
};

const factorChanges: Record<FactorChange, string> = {
  'app-on': 'An authenticator app was set up for your account.',
  'app-off': 'The authenticator app of your account was turned off.',
  'passkey-added': 'A passkey was added to your account. It signs in without the password.',
  'passkey-removed': 'A passkey was removed from your account.',
  'recovery-codes': 'New recovery codes were created for your account. Earlier ones do not work any more.',
  'identity-added':
    'Your account can now be opened with an account of the sign-in provider, without the password.',
  'identity-removed': 'Your account cannot be opened with an account of the sign-in provider any more.',
};

export const en: MailTexts = {
  notices,
  membership,
  sentBy: (name, site) => `Sent by ${name} at ${site}`,
  questions: (contact) => `Questions? ${contact}`,
  passwordReset: (link) => ({
    subject: 'Choose a new password',
    paragraphs: ['Somebody, probably you, asked for a new password for your account.'],
    action: { label: 'Choose a new password', url: link },
    notes: [
      'The link works once, for one hour. All other sessions of the account are then signed out.',
      'If you did not ask for it, ignore this email. Your password stays as it is.',
    ],
  }),
  signInLink: (link) => ({
    subject: 'Sign in to your account',
    paragraphs: ['Somebody, probably you, asked for a link to sign in to your account.'],
    action: { label: 'Sign in', url: link },
    notes: [
      'The link works once, for one hour.',
      'If you did not ask for it, ignore this email. Nobody can sign in without the link.',
    ],
  }),
  signUp: (link) => ({
    subject: 'Finish signing up',
    paragraphs: [
      'Somebody, probably you, wants to sign up with this email address. Open the link to choose a password.',
    ],
    action: { label: 'Choose a password', url: link },
    notes: ['The link works for 24 hours.', 'If it was not you, ignore this email. No account is created.'],
  }),
  alreadySignedUp: (signInPage, resetPage) => ({
    subject: 'You already have an account',
    paragraphs: [
      'Somebody, probably you, wanted to sign up with this email address. It already has an account.',
    ],
    action: { label: 'Sign in', url: signInPage },
    notes: [
      `If you do not know your password any more, choose a new one: ${resetPage}`,
      'If it was not you, there is nothing to do. Whoever it was has not learned that you have an account.',
    ],
  }),
  passwordChanged: (resetPage) => ({
    subject: 'Your password was changed',
    paragraphs: ['The password of your account was changed, and all other sessions were signed out.'],
    action: { label: 'That was not me', url: resetPage },
    notes: ['If it was you, there is nothing to do.'],
  }),
  confirmEmail: (email, link) => ({
    subject: 'Confirm your email address',
    paragraphs: [`Please confirm that ${email} is the address of your account.`],
    action: { label: 'Confirm this address', url: link },
    notes: [
      'The link works for 24 hours.',
      'If you have no account here, ignore this email. The address is then not confirmed.',
    ],
  }),
  emailChanged: (newEmail) => ({
    subject: 'The email address of your account was changed',
    paragraphs: [
      `Your account now has the address ${newEmail}. This is the last email about it to the old address.`,
    ],
    notes: ['If you did not change it, contact the operator of the service.'],
  }),
  webhookDisabled: ({ name, isGone, link }) => ({
    subject: `Your webhook “${name}” was disabled`,
    paragraphs: [
      isGone
        ? `The program that your webhook “${name}” calls answered 410 (Gone), so the webhook was disabled.`
        : `All calls of your webhook “${name}” failed for three days, so it was disabled.`,
    ],
    action: { label: 'Open the webhook', url: link },
    notes: ['Nothing is sent until you enable it again. Replay then sends what happened in the meantime.'],
  }),
  secondFactorChanged: (change, page) => ({
    subject: 'Signing in to your account was changed',
    paragraphs: [factorChanges[change]],
    action: { label: 'Open the page Security', url: page },
    notes: [
      'If it was you, there is nothing to do.',
      'If not, choose a new password, and remove apps and passkeys that you do not know.',
    ],
  }),
  exportReady: (page) => ({
    subject: 'Your export is ready',
    paragraphs: ['The export of your data that you asked for is ready.'],
    action: { label: 'Download the export', url: page },
    notes: ['It is kept for seven days. You have to sign in to download it.'],
  }),
  exportFailed: (page) => ({
    subject: 'Your export could not be created',
    paragraphs: ['The export of your data that you asked for could not be created.'],
    action: { label: 'Open the page Account', url: page },
    notes: ['The page says why, and what you can do.'],
  }),
  test: (name) => ({
    subject: `Test email from ${name}`,
    paragraphs: [`This email shows that ${name} can send emails.`],
  }),
};
