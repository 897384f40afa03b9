import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresBinaries } from '../../src/store/embedded/binaries.ts';
import { type Outcome, outcomeOf } from './programs.ts';

const versions = '/usr/lib/postgresql';

export interface DebianPostgres {
  binaries: PostgresBinaries;
  /** Runs pg_basebackup, pg_dump and so on. */
  run(program: string, args: string[]): Promise<Outcome>;
}

/** The newest PostgreSQL of the Debian package, with all its programs. Undefined where it is not installed. */
export function findDebianPostgres(): DebianPostgres | undefined {
  if (!existsSync(versions)) return undefined;
  const [folder] = readdirSync(versions)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(versions, version, 'bin'))
    .filter((bin) => existsSync(join(bin, 'postgres')) && existsSync(join(bin, 'pg_basebackup')));
  if (!folder) return undefined;
  return {
    binaries: { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') },
    run: (program, args) =>
      outcomeOf(spawn(join(folder, program), args, { stdio: ['ignore', 'pipe', 'pipe'] })),
  };
}
