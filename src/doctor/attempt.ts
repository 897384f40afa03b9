import type { Config } from '../config.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { plainMessage } from '../store/database.ts';
import { findEmbeddedPostgres } from '../store/embedded/server.ts';
import { setupErrorMessage } from '../store/setup-error-message.ts';
import { CheckAborted, type Finding, findingsFor, type Subject } from './finding.ts';
import { withoutPeriod } from './format.ts';

const checkTimeoutMs = 15_000;

/** A check that throws or times out becomes a finding. */
export async function attempt(
  subject: Subject,
  check: () => Promise<Finding[]>,
): Promise<{ completed: boolean; findings: Finding[] }> {
  try {
    return { completed: true, findings: await withTimeout(checkTimeoutMs, check()) };
  } catch (error) {
    return { completed: false, findings: [explain(subject, error)] };
  }
}

function explain(subject: Subject, error: unknown): Finding {
  if (error instanceof CheckAborted) return error.finding;
  const reason = setupErrorMessage(error) ?? (error instanceof Error ? plainMessage(error) : String(error));
  return findingsFor(subject).failure(
    `The check failed: ${withoutPeriod(reason)}.`,
    'Fix that and run this again.',
  );
}

/** An invalid variable has its default value, and checking that would be misleading. */
export function requireValid(subject: Subject, name: string, errors: string[]): void {
  if (!errors.some((error) => error.startsWith(`${name} `))) return;
  throw new CheckAborted(
    findingsFor(subject).warning(`Not checked: ${name} is invalid.`, `Correct ${name} and run this again.`),
  );
}

/** DATABASE_URL, or the embedded database that is running. */
export async function findDatabase({ databaseUrl, dataDir }: Config): Promise<string> {
  const found = databaseUrl ?? (await findEmbeddedPostgres(dataDir));
  if (found) return found;
  throw new CheckAborted(
    findingsFor('postgres').failure(
      `No database is running in ${dataDir}, and DATABASE_URL is not set.`,
      'Start the service with `npm start`, set DATABASE_URL, or set DATA_DIR to the folder of a running service.',
    ),
  );
}
