import type { MailTexts } from '../mail-texts.ts';
import { en as notices } from '../notice-languages/en.ts';

export const en: MailTexts = {
  notices,
  sentBy: (site) => `Sent by Qrelay at ${site}`,
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
  test: () => ({
    subject: 'Test email from Qrelay',
    paragraphs: ['This email shows that Qrelay can send emails.'],
    notes: [],
  }),
};
