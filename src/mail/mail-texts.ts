import type { NoticeTexts } from './notice-texts.ts';

/** A mail before it is laid out as plain text and HTML. */
export interface Draft {
  subject: string;
  paragraphs: string[];
  /** A list, below the paragraphs. */
  items?: string[];
  /** What the mail is for: a button, and in plain text a link on a line of its own. */
  action?: { label: string; url: string };
  /** Below the action. */
  notes: string[];
}

/** What became of the second factors of an account. */
export type FactorChange = 'app-on' | 'app-off' | 'passkey-added' | 'passkey-removed' | 'recovery-codes';

/** Every text of the mails, in one language. */
export interface MailTexts {
  /** The last line. `site` is BASE_URL, `contact` SUPPORT_CONTACT. */
  sentBy(site: string): string;
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
  test(): Draft;
  notices: NoticeTexts;
}
