import { isIP } from 'node:net';
import { Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../config.ts';
import { printReport } from './doctor-report.ts';

interface DoctorOptions {
  json?: boolean;
  forwardedFor?: string;
  remote?: string;
  probe?: boolean;
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Check the setup: configuration, PostgreSQL, Redis, queue, spool, mail, geo data, proxy and disk. Changes nothing. Exit code 1 if there is a failure, 0 if there are only warnings',
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
