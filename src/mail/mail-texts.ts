/** A mail before it is laid out as plain text and HTML. */
export interface Draft {
  subject: string;
  paragraphs: string[];
  /** A list, below the paragraphs. */
  items?: string[];
  /** What the mail is for: a button, and in plain text a link on a line of its own. */
  action?: { label: string; url: string };
  /** Below the action. */
  notes?: string[];
}

/** What became of the second factors of an account, and of its link to the OpenID provider. */
export type FactorChange =
  | 'app-on'
  | 'app-off'
  | 'passkey-added'
  | 'passkey-removed'
  | 'recovery-codes'
  | 'identity-added'
  | 'identity-removed';

/** A workspace as mails name it: see `harmlessName`. Undefined where nothing is left of its name. */
export type MailedName = string | undefined;

export type MailedRole = 'owner' | 'editor' | 'viewer';

export interface MailedInvitation {
  workspace: MailedName;
  role: MailedRole;
  /** The address of who invites, where it cannot be taken for a link. */
  inviter: string | undefined;
  /** How many days the link works, from 1 on. */
  days: number;
}

/** Every text of the mails about membership, in one language. Subjects have nothing that others choose. `page` is where the button leads. */
export interface MembershipTexts {
  /** To somebody who may never have heard of the service. */
  invited(invitation: MailedInvitation, link: string): Draft;
  /** To owners. */
  joined(joined: { workspace: MailedName; email: string | undefined; role: MailedRole }, page: string): Draft;
  removed(workspace: MailedName): Draft;
  /** To those who were members of it. */
  deleted(workspace: MailedName): Draft;
  roleChanged(changed: { workspace: MailedName; role: MailedRole }, page: string): Draft;
}

/** Every text of the mails, in one language. */
export interface MailTexts {
  /** At the end. `name` is that of the service, `site` BASE_URL, `contact` SUPPORT_CONTACT. */
  sentBy(name: string, site: string): string;
  questions(contact: string): string;

  passwordReset(link: string): Draft;
  /** To sign in without the password. */
  signInLink(link: string): Draft;
  /** To an address that has no account. */
  signUp(link: string): Draft;
  /** To one that has: whoever signs up is not told. */
  alreadySignedUp(signInPage: string, resetPage: string): Draft;
  passwordChanged(resetPage: string): Draft;
  confirmEmail(email: string, link: string): Draft;
  emailChanged(newEmail: string): Draft;
  /** `isGone`: it answered 410. Otherwise it failed for three days. */
  webhookDisabled(webhook: { name: string; isGone: boolean; link: string }): Draft;
  secondFactorChanged(change: FactorChange, page: string): Draft;
  exportReady(page: string): Draft;
  exportFailed(page: string): Draft;
  test(name: string): Draft;
  notices: NoticeTexts;
  membership: MembershipTexts;
}

/** Why a destination does not work: its server says so, or does not answer. */
export type DestinationFailure = 'gone' | 'unreachable';

export interface Week {
  /** The first and the last day, in words. */
  from: string;
  to: string;
  scans: number;
  /** In the week before. */
  before: number;
  top: { name: string; scans: number }[];
}

/** A list in a mail: what is shown, and how many more there are. */
export interface Listed<Item> {
  items: Item[];
  more: number;
}

/** Every text of the notices to owners, in one language. `page` is where the button leads. */
export interface NoticeTexts {
  /** The link that switches off notices of a kind. */
  unsubscribe: string;
  ending(codes: Listed<{ name: string; days: number }>, page: string): Draft;
  firstScan(codes: Listed<{ name: string }>, page: string): Draft;
  weekly(week: Week, page: string): Draft;
  silence(codes: Listed<{ name: string; usual: number }>, page: string): Draft;
  destination(codes: Listed<{ name: string; url: string; failure: DestinationFailure }>, page: string): Draft;
}

/** The lines of a list, and "and 3 more" at its end. */
export function linesOf<Item>(
  { items, more }: Listed<Item>,
  line: (item: Item) => string,
  andMore: (count: number) => string,
): string[] {
  return [...items.map(line), ...(more > 0 ? [andMore(more)] : [])];
}

/** The subject names the code if there is one only. */
export function oneOrMany<Item>(
  { items, more }: Listed<Item>,
  one: (item: Item) => string,
  many: (count: number) => string,
): string {
  const [first] = items;
  const count = items.length + more;
  return first && count === 1 ? one(first) : many(count);
}
