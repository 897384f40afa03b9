import { undoDays } from '../../codes/undo-period.ts';

/** Messages after an action on a code, and after sign-up. */
export const flashTexts = {
  signedUp: 'Your account is ready. An email is on its way. Open the link in it to confirm your address.',
  joined: 'You have joined the workspace.',
  created: 'Code created. Download it or copy its link.',
  createdPlain: 'Code created, without your default template.',
  saved: 'Changes saved.',
  savedWithoutFile: `Changes saved, and the file was removed. You can undo this for ${undoDays} days.`,
  savedWithoutPhoto: `Changes saved, and the photo was removed. You can undo this for ${undoDays} days.`,
  renewed: 'The code was renewed. It works as long as it is used.',
  expired: 'The code has expired now. Renew it to make it work again.',
  deleted: `The code was moved to the trash. You can restore it for ${undoDays} days.`,
  restored: 'The code was restored. Its share link works again.',
  deletedForGood: 'The code was deleted for good.',
  restoredSeveral: 'The selected codes were restored. Their share links work again.',
  deletedSeveral: 'The selected codes were deleted for good.',
  noneSelected: 'No codes were selected.',
  emptied: 'The trash was emptied.',
  marked: 'Added to your favorites.',
  unmarked: 'Removed from your favorites.',
  private: 'The code is private now: its share link shows nothing, and scans are not counted.',
  public: 'The code is public now.',
};

export type CodeFlash = keyof typeof flashTexts;
