import { isLanguage, type Language } from '../src/http/preferred-language.ts';
import type { DraftMail } from '../src/mail/compose-mail.ts';
import type { DestinationFailure, Listed } from '../src/mail/mail-texts.ts';
import type { Notice, NoticeBatch } from '../src/notices/notices.ts';
import { findNoticedCodes, type NoticedCode } from '../src/notices/noticed-codes.ts';
import type { Recipient } from '../src/notices/owners.ts';
import type { WeeklyData } from '../src/notices/weekly.ts';
import { addDays } from '../src/runtime/time-zone.ts';
import type { Database } from '../src/store/database.ts';
import { destinationOf } from './check-destination.ts';

/** A mail lists as many codes. */
const maxListed = 20;

interface NoticeDraft {
  language: Language;
  write: DraftMail;
}

/** Undefined where nothing of it is true any more, for example because the codes were deleted. */
export async function draftNotice(
  db: Database,
  { userId, kind, notices }: NoticeBatch,
  recipient: Recipient,
  { baseUrl, now }: { baseUrl: string; now: Date },
): Promise<NoticeDraft | undefined> {
  const language = isLanguage(recipient.language) ? recipient.language : 'en';
  const ids = notices.flatMap(({ codeId }) => codeId ?? []);
  const known = await findNoticedCodes(db, userId, ids);
  const codes = notices.flatMap((notice) => {
    const code = known.get(notice.codeId ?? '');
    return code ? [{ ...code, data: notice.data }] : [];
  });
  /** The page of the only code, or the list. */
  const pageOf = ([code, ...others]: NoticedCode[], ofOne = '', ofList = '') =>
    code && others.length === 0 ? `${baseUrl}/codes/${code.id}${ofOne}` : `${baseUrl}/codes${ofList}`;
  const write = await writerOf();
  return write && { language, write };

  async function writerOf(): Promise<DraftMail | undefined> {
    switch (kind) {
      case 'ending': {
        // A code that was renewed meanwhile ends later; one whose mail was delayed may have ended.
        const ending = codes.filter(
          ({ end, data }) => Math.abs(end - Number(data['end'])) < 0.01 && end * 1000 > now.getTime(),
        );
        const list = listed(ending, ({ name, data }) => ({ name, days: Number(data['days']) }));
        const period = list?.items.some(({ days }) => days > 30) ? 90 : 30;
        const page = pageOf(ending, '', `?endsWithin=${period}`);
        return list && ((texts) => texts.notices.ending(list, page));
      }
      case 'first-scan': {
        const list = listed(codes, ({ name }) => ({ name }));
        return list && ((texts) => texts.notices.firstScan(list, pageOf(codes)));
      }
      case 'silence': {
        const list = listed(codes, ({ name, data }) => ({ name, usual: Number(data['usual']) }));
        return list && ((texts) => texts.notices.silence(list, pageOf(codes)));
      }
      case 'destination': {
        const broken = codes.filter(({ content, data }) => destinationOf(content) === data['url']);
        const list = listed(broken, ({ name, data }) => ({
          name,
          url: String(data['url']),
          failure: data['problem'] as DestinationFailure,
        }));
        return list && ((texts) => texts.notices.destination(list, pageOf(broken, '/edit')));
      }
      case 'weekly':
        return draftWeekly(db, userId, notices.at(-1), language, `${baseUrl}/codes`);
    }
  }
}

type CodeWithData = NoticedCode & Pick<Notice, 'data'>;

function listed<Item>(codes: CodeWithData[], toItem: (code: CodeWithData) => Item): Listed<Item> | undefined {
  if (codes.length === 0) return undefined;
  return { items: codes.slice(0, maxListed).map(toItem), more: Math.max(0, codes.length - maxListed) };
}

async function draftWeekly(
  db: Database,
  userId: string,
  notice: Notice | undefined,
  language: Language,
  page: string,
): Promise<DraftMail | undefined> {
  if (!notice) return undefined;
  const { monday, scans, before, top } = notice.data as unknown as WeeklyData;
  const names = await findNoticedCodes(
    db,
    userId,
    top.map(({ codeId }) => codeId),
  );
  const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  const day = (days: number) => format.format(new Date(`${addDays(monday, days)}T00:00:00Z`));
  const week = {
    from: day(-7),
    to: day(-1),
    scans,
    before,
    top: top.flatMap(({ codeId, scans: own }) => {
      const code = names.get(codeId);
      return code ? [{ name: code.name, scans: own }] : [];
    }),
  };
  return (texts) => texts.notices.weekly(week, page);
}
