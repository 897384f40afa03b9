import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { loadSecrets } from '../accounts/secrets.ts';
import { SetupError } from '../errors.ts';
import { pluralize } from '../doctor/format.ts';
import { listConnected } from '../doctor/secret.ts';
import { type QueuePlace, queuePlace } from '../queue/queue-connection.ts';
import { canOpen, type ScanJob } from '../queue/scan-jobs.ts';
import { deadScans } from '../scans/dead-letters.ts';
import type { Database } from '../store/database.ts';
import { databaseSecret, removeStoredSecret } from '../store/root-secrets.ts';
import { printMessage, printResult } from './output.ts';
import { withDatabase } from './with-database.ts';

/** 256 bits. */
const secretBytes = 32;

export function secretCommand(): Command {
  const secret = new Command('secret').description(
    'The root secret: QRELAY_SECRET, or the one in the database',
  );
  secret
    .command('generate')
    .description('Print a new secret for QRELAY_SECRET')
    .action(() => printResult(randomBytes(secretBytes).toString('base64url')));
  secret
    .command('remove')
    .description('Remove the secret from the database, after every process has got QRELAY_SECRET')
    .action(() =>
      withDatabase(async ({ db, url, config }) => {
        await assertUnused(db, config.rootSecrets);
        await assertNoFailedJobs(db, queuePlace(config, url));
        printMessage(
          (await removeStoredSecret(db))
            ? 'The secret was removed from the database. Backups from before still contain it.'
            : 'The database has no secret.',
        );
      }),
    );
  return secret;
}

async function assertUnused(db: Database, configured: readonly string[]): Promise<void> {
  if (configured.length === 0 || configured.includes(databaseSecret))
    throw new SetupError(
      'QRELAY_SECRET is not set here, or contains the word database. Set it to the secrets of the processes.',
    );
  const users = (await listConnected(db)).filter(({ labels }) => labels.includes(databaseSecret));
  if (users.length > 0)
    throw new SetupError(
      `A ${users[0]?.role} process that is connected still uses the secret of the database. Restart it with QRELAY_SECRET.`,
    );
  const dead = await countSealedOtherwise(db, configured);
  if (dead > 0)
    throw new SetupError(
      `${pluralize(dead, 'dead scan')} cannot be decrypted without the secret of the database. See \`qrelay scans dead\`, fix the cause, and run \`qrelay scans retry\` first.`,
    );
}

/** They may be encrypted with it, and could not be retried without it. */
async function assertNoFailedJobs(db: Database, place: QueuePlace): Promise<void> {
  const { requireQueueInUse } = await import('../queue/queue-agreement.ts');
  const { readQueueStatuses } = await import('../queue/queue-access.ts');
  const { scanQueue } = await import('../queue/scan-queue.ts');
  await requireQueueInUse(db, place);
  const statuses = await readQueueStatuses(place, [scanQueue]);
  const failed = statuses.reduce((sum, { jobs }) => sum + jobs.failed, 0);
  if (failed > 0)
    throw new SetupError(
      `${pluralize(failed, 'failed job')} may need the secret of the database. See \`qrelay queue failed\`, fix the cause, and run \`qrelay queue retry\` first.`,
    );
}

/** Dead scans that none of the configured secrets opens. */
async function countSealedOtherwise(db: Database, configured: readonly string[]): Promise<number> {
  const { openingKeys } = await loadSecrets(db, configured);
  const keys = openingKeys.slice(0, configured.length);
  let count = 0;
  for await (const { job } of deadScans(db))
    if (!canOpen((JSON.parse(job) as ScanJob).sealedAddresses, keys)) count += 1;
  return count;
}
