/** What owners are told of by mail. Stored, and in links of mails: never renamed. */
export const noticeKinds = ['ending', 'first-scan', 'weekly', 'silence', 'destination'] as const;

export type NoticeKind = (typeof noticeKinds)[number];

export function isNoticeKind(text: unknown): text is NoticeKind {
  return noticeKinds.some((kind) => kind === text);
}
