import { Command, InvalidArgumentError } from 'commander';
import { validate as isUuid } from 'uuid';
import { recordAction } from '../accounts/operator-actions.ts';
import { pluralize } from '../doctor/format.ts';
import { listScans, type ScanJob } from '../queue/scan-jobs.ts';
import { codesWithScans, compareSpan, countedSpans, type DaySpan, rebuildSpan } from '../scans/counters.ts';
import { deadScans, purgeDeadLetter } from '../scans/dead-letters.ts';
import { scannedAtOf } from '../scans/scan-id.ts';
import type { Database } from '../store/database.ts';
import { createLog } from '../telemetry/log.ts';
import { printMessage, printResult } from './output.ts';
import { createProgressBar } from './progress-bar.ts';
import { withDatabase } from './with-database.ts';

const pageSize = 500;

export function countersCommand(): Command {
  const counters = new Command('counters').description('The daily counters behind the analytics');
  counters
    .command('verify')
    .description(
      'Compare the counters with the raw scans and print each difference; exit code 1 if there are any',
    )
    .option('--code <id>', 'only this code', parseId)
    .action((options: { code?: string }) =>
      withDatabase(async ({ db }) => {
        let differences = 0;
        const { codes } = await eachSpan(db, options.code, async (codeId, span) => {
          for (const { dimension, day, value, counted, actual } of await compareSpan(db, codeId, span)) {
            differences += 1;
            printResult([codeId, dimension, day, value, `counted ${counted}`, `scans ${actual}`].join('\t'));
          }
        });
        printMessage(
          `${pluralize(codes, 'code')} with scans: ${differences === 0 ? 'all counters are correct' : pluralize(differences, 'wrong counter')}.`,
        );
        if (differences > 0) process.exitCode = 1;
      }),
    );
  counters
    .command('rebuild')
    .description('Correct the counters from the raw scans; safe while scans arrive')
    .option('--code <id>', 'only this code', parseId)
    .action((options: { code?: string }) =>
      withDatabase(async ({ db }) => {
        let corrected = 0;
        const { codes, days } = await eachSpan(db, options.code, async (codeId, span) => {
          corrected += await rebuildSpan(db, codeId, span);
        });
        printMessage(
          `${pluralize(codes, 'code')}, ${pluralize(days, 'day')} recounted: ${pluralize(corrected, 'counter')} corrected.`,
        );
      }),
    );
  return counters;
}

export function scansCommand(): Command {
  const scans = new Command('scans').description('Dead scans: those that the database refused to record');
  scans
    .command('dead')
    .description('List dead scans: id, when it was refused, when it was scanned, code, reason')
    .action(() =>
      withDatabase(async ({ db }) => {
        let count = 0;
        for await (const { id, diedAt, job, reason } of deadScans(db)) {
          const [scanId = '', codeId = ''] = listScans(JSON.parse(job) as ScanJob)[0] ?? [];
          const scannedAt = isUuid(scanId) ? scannedAtOf(scanId).toISOString() : 'unknown';
          printResult(
            [id, diedAt.toISOString(), scannedAt, codeId, reason.replaceAll(/\s+/g, ' ')].join('\t'),
          );
          count += 1;
        }
        printMessage(
          count === 0
            ? 'There are no dead scans.'
            : `${pluralize(count, 'dead scan')}. \`qrelay scans retry\` puts them back into the queue.`,
        );
      }),
    );
  scans
    .command('retry')
    .description('Put all dead scans back into the queue')
    .action(() =>
      withDatabase(async ({ db, url, config }) => {
        const { requireQueueInUse } = await import('../queue/queue-agreement.ts');
        const { openQueueClient } = await import('../queue/queue-client.ts');
        const { queuePlace, waitUntilReady } = await import('../queue/queue-connection.ts');
        const { scanQueue } = await import('../queue/scan-queue.ts');
        const place = queuePlace(config, url);
        await requireQueueInUse(db, place);
        const queue = openQueueClient({ place, log: createLog('cli', 'silent') });
        try {
          await waitUntilReady(queue);
          let count = 0;
          for await (const dead of deadScans(db)) {
            if (count === 0) await recordAction(db, retryEntry, new Date());
            await queue.add(scanQueue, JSON.parse(dead.job) as ScanJob);
            // Only now: killed in between, the scan is in both, and counts once.
            await purgeDeadLetter(db, dead);
            count += 1;
          }
          printMessage(
            count === 0
              ? 'There are no dead scans.'
              : `${pluralize(count, 'scan')} ${count === 1 ? 'is' : 'are'} back in the queue.`,
          );
        } finally {
          await queue.close();
        }
      }),
    );
  return scans;
}

/** Runs `work` for the counted days of one code or of all, with a progress bar. */
async function eachSpan(
  db: Database,
  only: string | undefined,
  work: (codeId: string, span: DaySpan) => Promise<void>,
): Promise<{ codes: number; days: number }> {
  const bar = createProgressBar('day');
  let codes = 0;
  let days = 0;
  try {
    for await (const codeId of selectedCodes(db, only)) {
      const spans = await countedSpans(db, codeId);
      codes += 1;
      days += spans.reduce((sum, span) => sum + span.days, 0);
      if (!bar.isActive && days > 0) bar.start(days, 0);
      bar.setTotal(days);
      for (const span of spans) {
        await work(codeId, span);
        bar.increment(span.days);
      }
    }
  } finally {
    bar.stop();
  }
  return { codes, days };
}

async function* selectedCodes(db: Database, only: string | undefined): AsyncGenerator<string> {
  if (only !== undefined) {
    yield only;
    return;
  }
  let page = await codesWithScans(db, undefined, pageSize);
  while (page.length > 0) {
    yield* page;
    page = await codesWithScans(db, page.at(-1), pageSize);
  }
}

const retryEntry = {
  operatorId: undefined,
  action: 'queue.retry',
  target: 'scans',
  note: 'Scans that the database had rejected',
} as const;

function parseId(text: string): string {
  if (isUuid(text)) return text;
  throw new InvalidArgumentError('Must be the id of a QR code.');
}
