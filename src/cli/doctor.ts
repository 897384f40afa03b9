import { isIP } from 'node:net';
import { Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../config.ts';
import { type Finding, type State, subjects } from '../doctor/finding.ts';
import { pluralize } from '../doctor/format.ts';
import { printResult } from './output.ts';

interface DoctorOptions {
  json?: boolean;
  forwardedFor?: string;
  remote?: string;
  probe?: boolean;
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Check the setup: configuration, PostgreSQL, Redis, queue, spool, email, geo data, proxy and disk. Changes nothing. Exit code 1 if there is a failure, 0 if there are only warnings',
    )
    .option('--json', 'print one JSON document: {"ok": true, "findings": [...]}')
    .option(
      '--forwarded-for <header>',
      'an X-Forwarded-For header from your proxy: shows which client address it results in',
    )
    .option('--remote <address>', 'the address that this request comes from', parseAddress)
    .option(
      '--probe',
      'also request BASE_URL as a client does: checks TLS, HSTS and the headers of the proxy (with METRICS_TOKEN, the client address)',
    )
    .action(async ({ json, forwardedFor, remote, probe = false }: DoctorOptions) => {
      const hasSample = forwardedFor !== undefined || remote !== undefined;
      const { runChecks } = await import('../doctor/checks.ts');
      const findings = await runChecks({
        ...readConfig(process.env),
        env: process.env,
        sample: hasSample ? { remote: remote ?? '127.0.0.1', forwardedFor } : undefined,
        isProbing: probe,
      });
      printReport(findings, json);
    });
}

function parseAddress(text: string): string {
  if (isIP(text)) return text;
  throw new InvalidArgumentError('Must be an IPv4 or IPv6 address.');
}

export function backupCommand(): Command {
  const backup = new Command('backup').description('Backups of this installation');
  backup
    .command('check')
    .description(
      'Check what a backup needs, and after a restore whether the data is complete: WAL archive, root secret, spool, queue, counters. Changes nothing. Exit code 1 if there is a failure, 0 if there are only warnings',
    )
    .option('--json', 'print one JSON document: {"ok": true, "findings": [...]}')
    .action(async ({ json }: { json?: boolean }) => {
      const { runBackupChecks } = await import('../doctor/checks.ts');
      printReport(await runBackupChecks(readConfig(process.env)), json);
    });
  return backup;
}

const marks = { ok: '✓', warning: '!', failure: '✗' } as const;
const colors = { ok: 32, warning: 33, failure: 31 } as const;
const stateWidth = 'warning'.length;

/** Prints the findings, and sets the exit code to 1 if one of them is a failure. */
export function printReport(findings: Finding[], asJson = false): void {
  const ok = findings.every(({ state }) => state !== 'failure');
  if (asJson) printResult(JSON.stringify({ ok, findings }, undefined, 2));
  else for (const line of reportLines(findings, hasColors(process.stdout))) printResult(line);
  if (!ok) process.exitCode = 1;
}

/** The report for a person: findings by subject, each remedy below its finding, and totals at the end. */
export function reportLines(findings: Finding[], useColor: boolean): string[] {
  const lines = subjects.flatMap((subject) => {
    const found = findings.filter((finding) => finding.subject === subject);
    return found.length === 0 ? [] : [subject, ...found.flatMap((finding) => linesOf(finding, useColor)), ''];
  });
  const [ok = 0, warnings = 0, failures = 0] = (['ok', 'warning', 'failure'] as const).map(
    (state) => findings.filter((finding) => finding.state === state).length,
  );
  lines.push(`${ok} ok, ${pluralize(warnings, 'warning')}, ${pluralize(failures, 'failure')}`);
  return lines;
}

function linesOf({ state, finding, remedy }: Finding, useColor: boolean): string[] {
  const line = `  ${label(state, useColor)}  ${finding}`;
  return remedy === undefined ? [line] : [line, `    ${' '.repeat(stateWidth)}  → ${remedy}`];
}

/** A mark and a word, so that color is never the only signal. */
function label(state: State, useColor: boolean): string {
  const text = `${marks[state]} ${state.padEnd(stateWidth)}`;
  return useColor ? `\u001B[${colors[state]}m${text}\u001B[0m` : text;
}

/** hasColors() also respects NO_COLOR. */
function hasColors(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && stream.hasColors();
}
