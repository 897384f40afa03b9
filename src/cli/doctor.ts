import { isIP } from 'node:net';
import { Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../config.ts';
import { reportLines } from './doctor-report.ts';
import { print } from './say.ts';

interface DoctorOptions {
  json?: boolean;
  forwardedFor?: string;
  remote?: string;
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Examine the set-up: configuration, PostgreSQL, Redis, queue, spool, geo data, proxy and disk. Changes nothing. Exit code 1 where there is a failure, 0 with warnings alone',
    )
    .option('--json', 'print one JSON document: {"ok": true, "findings": [...]}')
    .option('--forwarded-for <header>', 'an X-Forwarded-For that your proxy sends: shows whose request it is')
    .option('--remote <address>', 'the address that such a request comes from', parseAddress)
    .action(async ({ json, forwardedFor, remote }: DoctorOptions) => {
      const isAsked = forwardedFor !== undefined || remote !== undefined;
      const { examine } = await import('../doctor/examine.ts');
      const findings = await examine({
        ...readConfig(process.env),
        sample: isAsked ? { remote: remote ?? '127.0.0.1', forwardedFor } : undefined,
      });
      const ok = findings.every(({ state }) => state !== 'failure');
      if (json) print(JSON.stringify({ ok, findings }, undefined, 2));
      // Asks the terminal, which also knows of NO_COLOR.
      else for (const line of reportLines(findings, isColourful(process.stdout))) print(line);
      if (!ok) process.exitCode = 1;
    });
}

function isColourful(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && stream.hasColors();
}

function parseAddress(text: string): string {
  if (isIP(text)) return text;
  throw new InvalidArgumentError('It must be an IPv4 or IPv6 address.');
}
