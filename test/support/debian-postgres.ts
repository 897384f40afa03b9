import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresBinaries } from '../../src/store/embedded/cluster.ts';
import { oldestTestedMajor } from '../../src/doctor/postgres.ts';
import { type Outcome, outcomeOf } from './programs.ts';

const versions = '/usr/lib/postgresql';

export interface DebianPostgres {
  binaries: PostgresBinaries;
  /** Runs pg_basebackup, pg_dump and so on. */
  run(program: string, args: string[]): Promise<Outcome>;
}

/** The newest PostgreSQL of the Debian package, with all its programs. Undefined where it is not installed. */
export function findDebianPostgres(): DebianPostgres | undefined {
  return foundDebianPostgres().at(-1);
}

/** The oldest one that Qrelay supports: the one to run every statement on. */
export function findOldestPostgres(): DebianPostgres | undefined {
  return foundDebianPostgres()[0];
}

/** By version. */
function foundDebianPostgres(): DebianPostgres[] {
  if (!existsSync(versions)) return [];
  return readdirSync(versions)
    .filter((version) => Number(version) >= oldestTestedMajor)
    .toSorted((a, b) => Number(a) - Number(b))
    .map((version) => join(versions, version, 'bin'))
    .filter((bin) => existsSync(join(bin, 'postgres')) && existsSync(join(bin, 'pg_basebackup')))
    .map(postgresIn);
}

function postgresIn(folder: string): DebianPostgres {
  return {
    binaries: { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') },
    run: (program, args) =>
      outcomeOf(spawn(join(folder, program), args, { stdio: ['ignore', 'pipe', 'pipe'] })),
  };
}
