import { composeMail, type MailSite } from '../src/mail/compose-mail.ts';
import { type Mailer, MailError } from '../src/mail/mailer.ts';
import { findEndingCodes } from '../src/notices/ending.ts';
import { findFirstScans } from '../src/notices/first-scans.ts';
import {
  claimNotices,
  finishNotices,
  maxRepeats,
  type NoticeBatch,
  releaseNotices,
} from '../src/notices/notices.ts';
import { addOwners, claimOwners, findRecipient, type Owner } from '../src/notices/owners.ts';
import { findSilentCodes } from '../src/notices/silence.ts';
import { findWeeklySummaries } from '../src/notices/weekly.ts';
import type { JobHandler } from '../src/queue/queue-worker.ts';
import {
  type Database,
  isDatabaseUnavailable,
  isQueryCanceled,
  retryUnavailable,
} from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { draftNotice } from './draft-notice.ts';

/** What is left is for the next run. */
const maxRunMs = 8 * 60_000;
/** Mails that are sent at the same time. */
const parallelMails = 4;
/** One recipient may be turned away for a while; if all are, the server is down, and the next run tries again. */
const maxFailuresInARow = 5;

export interface NoticeHandlerOptions {
  /** Not the connections that record scans. */
  backgroundDb: Database;
  mailer: Mailer | undefined;
  site: MailSite;
  unsubscribeToken(userId: string, kind: string): string;
  /** Aborted when the process shuts down: a mail that is being sent is finished, and no other is begun. */
  closing: AbortSignal;
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
  closing,
  log,
  now = () => new Date(),
}: NoticeHandlerOptions): JobHandler<object> {
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
          { err, userId: ids[0] },
          'the codes of an owner took too long to look at; tried again by the next run',
        );
    }
  }

  async function send(batch: NoticeBatch, using: Mailer): Promise<void> {
    const { mailId, userId, kind, notices } = batch;
    const recipient = notices.length > 0 ? await findRecipient(db, userId, kind) : undefined;
    const draft =
      recipient && (await draftNotice(db, batch, recipient, { baseUrl: site.baseUrl, now: now() }));
    if (!draft) return;
    const url = `${site.baseUrl}/unsubscribe/${unsubscribeToken(userId, kind)}`;
    const headers = { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
    const mail = composeMail(draft.language, site, draft.write, url);
    await using.send({ id: mailId, to: recipient.email, ...mail, headers });
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

  return async () => {
    if (!mailer) return;
    const startedAt = performance.now();
    const isOver = (limitMs = maxRunMs) => closing.aborted || performance.now() > startedAt + limitMs;
    try {
      try {
        // At most half of the run: what was found has to be sent, too.
        await findFacts(() => isOver(maxRunMs / 2));
      } finally {
        // Also where facts could not be found: earlier ones wait.
        await sendAll(mailer, () => isOver());
      }
    } catch (err) {
      if (!isDatabaseUnavailable(err)) throw err;
      // The next run finds the same: put back, the runs of an outage would pile up.
      log.warn({ err }, 'owners could not be told of their codes');
    }
  };
}
