import { takeLostExports, tellOfExports } from '../src/accounts/export-turns.ts';
import type { ExportJob } from '../src/queue/export-queue.ts';
import type { MailRequest } from '../src/queue/mail-queue.ts';
import type { Database } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';

interface ExportUpkeepOptions {
  db: Database;
  buildExport(job: ExportJob): Promise<void>;
  /** Undefined without SMTP_URL. */
  sendMail: ((request: MailRequest, id: string) => Promise<void>) | undefined;
  log: Log;
}

export interface ExportUpkeep {
  /** Mails the owners of exports that are ready, or have failed. */
  tellOwners(): Promise<void>;
  /** Adds the jobs of exports again that were lost. */
  resume(): Promise<void>;
}

/** Neither rejects: the next run of housekeeping tries again. */
export function createExportUpkeep({ db, buildExport, sendMail, log }: ExportUpkeepOptions): ExportUpkeep {
  async function resumeLost(): Promise<void> {
    for (const request of await takeLostExports(db, new Date())) {
      log.warn('an export of an account was not finished; it is built again');
      await buildExport(request);
    }
  }

  return {
    async tellOwners() {
      if (!sendMail) return;
      const tell = ({ userId, requestId }: ExportJob) =>
        // The same id if it is added again: sent once.
        sendMail({ kind: 'export-finished', userId, requestId }, `export-${requestId}`);
      await tellOfExports(db, tell, new Date()).catch((err: unknown) =>
        log.warn({ err }, 'the owner of an export was not told; tried again within 10 minutes'),
      );
    },
    async resume() {
      await resumeLost().catch((err: unknown) =>
        log.warn(
          { err },
          'exports that were not finished could not be queued; tried again within 30 minutes',
        ),
      );
    },
  };
}
