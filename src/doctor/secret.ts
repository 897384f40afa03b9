import type { Config } from '../config.ts';
import type { Database } from '../store/database.ts';
import { databaseSecret, fingerprintOf, readStoredSecret, secretLabels } from '../store/root-secrets.ts';
import { type Finding, findingsFor, type Found, found } from './finding.ts';
import { hasTable } from './connection.ts';

const { ok, warning, failure } = findingsFor('secret');

/** A kind of process that is connected, and the labels of its root secrets: see `applicationName`. */
export interface ConnectedProcess {
  role: 'web' | 'worker';
  labels: string[];
}

export interface SecretFacts {
  /** Labels of QRELAY_SECRET in the environment of the doctor. */
  configured: string[];
  /** Fingerprint of the secret in the database, unless it was removed. */
  stored: string | undefined;
  connected: ConnectedProcess[];
}

/** Compares the root secrets of all processes by their fingerprints. Never prints one. */
export async function checkSecret(db: Database, config: Config): Promise<Found> {
  if (!(await hasTable(db, 'service_secrets'))) return undefined;
  const stored = await readStoredSecret(db);
  return assessSecrets({
    configured: secretLabels(config.rootSecrets),
    stored: stored && fingerprintOf(stored),
    connected: await listConnected(db),
  });
}

/** Web and worker processes that are connected to the database, each combination of role and secrets once. */
export async function listConnected(db: Database): Promise<ConnectedProcess[]> {
  const { rows } = (await db.raw(
    `SELECT DISTINCT role, labels FROM (
       SELECT (regexp_match(application_name, '^qrelay (web|worker)( [^ ]+:[0-9]+|$)'))[1] AS role,
              (regexp_match(application_name, ' secrets:(.*)'))[1] AS labels
       FROM pg_stat_activity WHERE datname = current_database()
     ) AS sessions
     WHERE role IS NOT NULL ORDER BY 1, 2`,
  )) as { rows: { role: 'web' | 'worker'; labels: string | null }[] };
  return rows.map(({ role, labels }) => ({ role, labels: labels?.split(',') ?? [databaseSecret] }));
}

export function assessSecrets(facts: SecretFacts): Finding[] {
  const { configured, stored } = facts;
  const isReplaced = stored !== undefined && configured.length > 0 && !configured.includes(databaseSecret);
  return found(
    assessOrigin(facts),
    isReplaced &&
      warning(
        `The earlier secret is still in the database (fingerprint ${stored}) and accepted.`,
        'A day after every process has QRELAY_SECRET, run `qrelay secret remove`.',
      ),
    assessProcesses(facts),
  );
}

function assessOrigin({ configured, stored }: SecretFacts): Finding {
  const [first, ...others] = configured;
  if (first && first !== databaseSecret) {
    const accepted = others.length > 0 ? ` Also accepted: ${others.join(', ')}.` : '';
    return ok(`The root secret comes from QRELAY_SECRET (fingerprint ${first}).${accepted}`);
  }
  if (stored !== undefined)
    return ok(
      `The root secret is in the database (fingerprint ${stored}), and so in every backup of it. QRELAY_SECRET can keep it apart.`,
    );
  return failure(
    'The root secret is no longer in the database, and QRELAY_SECRET is not set here: web and worker do not start like this.',
    'Set QRELAY_SECRET to the secret of the other processes.',
  );
}

function assessProcesses({ configured, stored, connected }: SecretFacts): Found {
  if (connected.length === 0) return undefined;
  const writers = [...new Set(connected.map(({ labels }) => labels[0] ?? databaseSecret))];
  const isReadBy = (label: string, { labels }: ConnectedProcess) =>
    labels.includes(label) || (label === databaseSecret && stored !== undefined);
  const lacking = writers.flatMap((writer) =>
    connected.filter((process) => !isReadBy(writer, process)).map(({ role }) => ({ writer, role })),
  );
  const findings = (['worker', 'web'] as const).flatMap((role) => {
    const missing = new Set(lacking.filter((one) => one.role === role).map(({ writer }) => writer));
    return missing.size > 0 ? [failure(describeLack(role, [...missing]), shareSecret)] : [];
  });
  const own = configured[0] ?? databaseSecret;
  if (!writers.includes(own)) {
    findings.push(
      warning(
        `The processes that are connected use ${describe(writers)}, and the environment of this command has ${describe([own])}.`,
        'Run commands with the environment of the processes, or restart the processes with this one.',
      ),
    );
  }
  if (findings.length > 0) return findings;
  if (writers.length === 1) return ok(`All processes that are connected use ${describe(writers)}.`);
  return warning(
    `The processes that are connected use ${describe(writers)}; each accepts the values of the others.`,
    'Finish the rotation: give all of them the same QRELAY_SECRET.',
  );
}

function describe(labels: string[]): string {
  return labels
    .map((label) => (label === databaseSecret ? 'the secret of the database' : `the secret ${label}`))
    .join(' and ');
}

const shareSecret =
  'Add that secret to the end of QRELAY_SECRET of the processes that lack it, and restart them.';

function describeLack(role: 'web' | 'worker', secrets: string[]): string {
  const which = `A ${role} process does not have ${describe(secrets)}, which another process uses`;
  return role === 'worker'
    ? `${which}: it puts back the jobs that were encrypted with it, and their scans wait.`
    : `${which}: it rejects forms that were opened at the other one, and does not know its devices.`;
}
