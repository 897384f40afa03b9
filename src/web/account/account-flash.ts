export const flashTexts = {
  language: 'The language and time zone of your emails were changed.',
  notices: 'Your choice of emails was saved.',
  export: 'Your export is being created. It takes a minute, longer with many scans.',
  tooManyExports: 'You have asked for too many exports. Try again in an hour.',
  confirm: 'An email with a link is on its way. Open the link to confirm the address.',
  tooManyMails: 'Too many emails were sent. Try again in an hour.',
  email: 'Your email was changed.',
  password: 'Your password was changed. All other sessions were signed out.',
  revoked:
    'Your password was changed. Nobody had confirmed the email address of this account before, so all its API keys were revoked and its webhooks were disabled.',
};
export type AccountFlash = keyof typeof flashTexts;

/** The page Account, with what still works after the password has changed. */
export const reviewPath = '/account?review=access';
