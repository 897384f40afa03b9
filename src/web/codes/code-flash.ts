/** Messages after an action on a code, and after sign-up. */
export const flashTexts = {
  signedUp: 'Your account is ready. An email is on its way. Open the link in it to confirm your address.',
  created: 'Code created. Download it or copy its link.',
  createdPlain: 'Code created, without your default style.',
  saved: 'Changes saved.',
  renewed: 'The code was renewed. It works as long as it is used.',
  deleted: 'The code was deleted.',
  marked: 'Added to your favorites.',
  unmarked: 'Removed from your favorites.',
  private: 'The code is private now: its share link shows nothing, and scans are not counted.',
  public: 'The code is public now.',
};

export type CodeFlash = keyof typeof flashTexts;
