import { type Language, isLanguage } from '../src/http/preferred-language.ts';
import { type DraftMail, type MailSite, composeMail } from '../src/mail/compose-mail.ts';
import { MailError, type Mailer } from '../src/mail/mailer.ts';
import type { DestinationFailure, Listed } from '../src/mail/mail-texts.ts';
import {
  type NoticedCode,
  type WeeklyData,
  findEndingCodes,
  findFirstScans,
  findNoticedCodes,
  findSilentCodes,
  findWeeklySummaries,
} from '../src/notices/facts.ts';
import {
  type Notice,
  type NoticeBatch,
  claimNotices,
  finishNotices,
  maxRepeats,
  releaseNotices,
} from '../src/notices/notices.ts';
import { type Owner, type Recipient, addOwners, claimOwners, findRecipients } from '../src/notices/owners.ts';
import { type Database, isQueryCanceled, retryUnavailable } from '../src/store/database.ts';
import type { PeriodicHandler } from '../src/queue/periodic-queue.ts';
import { addDays } from '../src/runtime/time-zone.ts';
import type { Log } from '../src/telemetry/log.ts';
import { noteSentMail, wasMailSent } from '../src/accounts/sent-mails.ts';
import { findWorkspace, type WorkspaceId } from '../src/workspaces/workspace.ts';
import { destinationOf } from './destination-handler.ts';

/** Mails that are sent at the same time. */
const parallelMails = 4;
/** One recipient may be turned away for a while; if all are, the server is down, and the next run tries again. */
const maxFailuresInARow = 5;

interface NoticeHandlerOptions {
  /** Not the connections that record scans. */
  backgroundDb: Database;
  mailer: Mailer | undefined;
  site: MailSite;
  unsubscribeToken(userId: string, kind: string): string;
  log: Log;
  now?: () => Date;
}

/**
 * Tells owners what happens to their codes. A notice is leased while its mail is handed over, and finished afterwards: of a
 * killed worker, another one sends the same mail, with the same Message-ID.
 *
 *   found → leased → finished: sent, refused for good, or nothing to say (switched off, deleted, too old)
 *     ↑        ├──→ the server has certainly not accepted the mail: found again, ten minutes later
 *     └────────┴──→ killed, or nobody knows: the same mail again, twice at most
 */
export function createNoticeHandler({
  backgroundDb: db,
  mailer,
  site,
  unsubscribeToken,
  log,
  now = () => new Date(),
}: NoticeHandlerOptions): PeriodicHandler {
  async function findFacts(isOver: () => boolean): Promise<void> {
    await addOwners(db, now());
    while (!isOver()) {
      const owners = await claimOwners(db, now());
      if (!owners) return;
      await findFactsOf(owners);
    }
  }

  /** An owner of so many codes that a statement is canceled does not keep others from being told. */
  async function findFactsOf(owners: Owner[]): Promise<void> {
    const ids = owners.map(({ id }) => id);
    try {
      await findEndingCodes(db, ids, now());
      await findFirstScans(db, ids, now());
      await findSilentCodes(db, owners, now());
      await findWeeklySummaries(db, owners, now());
    } catch (err) {
      if (!isQueryCanceled(err)) throw err;
      if (owners.length > 1) for (const owner of owners) await findFactsOf([owner]);
      else
        log.warn(
          { err, workspaceId: ids[0] },
          'the codes of a workspace took too long to look at; tried again by the next run',
        );
    }
  }

  async function send(batch: NoticeBatch, using: Mailer): Promise<void> {
    const { workspaceId, kind, notices } = batch;
    const recipients = notices.length > 0 ? await findRecipients(db, workspaceId, kind) : [];
    const failures: unknown[] = [];
    // One owner whose mail server refuses does not keep the others from being told.
    for (const recipient of recipients)
      await sendTo(batch, recipient, using).catch((error: unknown) => failures.push(error));
    const isFinal = (error: unknown) => error instanceof MailError && error.isPermanent;
    const failure = failures.find((error) => !isFinal(error)) ?? failures[0];
    if (failure) throw failure;
  }

  /** Each mail is noted, so that a batch that is repeated for one owner is not sent to the others again. */
  async function sendTo(batch: NoticeBatch, recipient: Recipient, using: Mailer): Promise<void> {
    const { mailId, kind } = batch;
    const { userId, email } = recipient;
    const id = `${mailId}-${userId}`;
    const draft = await draftNotice(db, batch, recipient, { baseUrl: site.baseUrl, now: now() });
    if (!draft || (await wasMailSent(db, id))) return;
    const url = `${site.baseUrl}/unsubscribe/${unsubscribeToken(userId, kind)}`;
    const headers = { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
    const mail = composeMail(draft.language, site, draft.write, url);
    await using.send({ id, to: email, ...mail, headers });
    await retryUnavailable(() => noteSentMail(db, id, now()));
  }

  /** False when the server did not accept the mail now. */
  async function sendNext(batch: NoticeBatch, using: Mailer): Promise<boolean> {
    const { kind, repeats } = batch;
    try {
      // Killed workers are counted, too.
      if (repeats <= maxRepeats) await send(batch, using);
    } catch (err) {
      const isPermanent = err instanceof MailError && err.isPermanent;
      // Before a mail is handed over, only the database can fail.
      const isUnsent = !(err instanceof MailError) || err.isUnsent;
      if (!isPermanent && (isUnsent || repeats < maxRepeats)) {
        await releaseNotices(db, batch, { isUnsent }, now());
        log.warn({ err, kind }, 'a notice could not be sent and is tried again later');
        return false;
      }
      if (isPermanent) log.warn({ err, kind }, 'a notice was refused and is not sent again');
      else
        log.warn(
          { err, kind },
          `the mail server did not say ${maxRepeats + 1} times whether it has accepted a notice; it is not sent again`,
        );
    }
    // Within the lease: what is sent must not be sent again because the database was away for a moment.
    await retryUnavailable(() => finishNotices(db, batch.mailId, now()));
    return true;
  }

  async function sendAll(using: Mailer, isOver: () => boolean): Promise<void> {
    let failuresInARow = 0;
    await Promise.all(
      Array.from({ length: parallelMails }, async () => {
        while (failuresInARow < maxFailuresInARow && !isOver()) {
          const batch = await claimNotices(db, now());
          if (!batch) return;
          failuresInARow = (await sendNext(batch, using)) ? 0 : failuresInARow + 1;
        }
      }),
    );
  }

  return async ({ isOver }) => {
    if (!mailer) return;
    try {
      // At most half of the run: what was found has to be sent, too.
      await findFacts(() => isOver(0.5));
    } finally {
      // Also where facts could not be found: earlier ones wait.
      await sendAll(mailer, () => isOver());
    }
  };
}

/** A mail lists as many codes. */
const maxListed = 20;

interface NoticeDraft {
  language: Language;
  write: DraftMail;
}

/** Undefined where nothing of it is true any more, for example because the codes were deleted. */
export async function draftNotice(
  db: Database,
  { workspaceId, kind, notices }: NoticeBatch,
  recipient: Pick<Recipient, 'language'>,
  { baseUrl, now }: { baseUrl: string; now: Date },
): Promise<NoticeDraft | undefined> {
  const { slug } = await findWorkspace(db, workspaceId);
  const start = `${baseUrl}/w/${slug}`;
  const language = isLanguage(recipient.language) ? recipient.language : 'en';
  const ids = notices.flatMap(({ codeId }) => codeId ?? []);
  const known = await findNoticedCodes(db, workspaceId, ids);
  const codes = notices.flatMap((notice) => {
    const code = known.get(notice.codeId ?? '');
    return code ? [{ ...code, data: notice.data }] : [];
  });
  /** The page of the only code, or the list. */
  const pageOf = ([code, ...others]: NoticedCode[], ofOne = '', ofList = '') =>
    code && others.length === 0 ? `${start}/codes/${code.id}${ofOne}` : `${start}/codes${ofList}`;
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
        return draftWeekly(db, workspaceId, notices.at(-1), language, `${start}/codes`);
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
  workspaceId: WorkspaceId,
  notice: Notice | undefined,
  language: Language,
  page: string,
): Promise<DraftMail | undefined> {
  if (!notice) return undefined;
  const { monday, scans, before, top } = notice.data as unknown as WeeklyData;
  const names = await findNoticedCodes(
    db,
    workspaceId,
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
