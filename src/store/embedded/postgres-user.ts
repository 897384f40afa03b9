import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SetupError } from '../../errors.ts';

/** The user that PostgreSQL runs as: it refuses to run as root. */
export interface PostgresUser {
  /** What to put before the command. The program gets the signal when the process that started it exits. */
  commandPrefix(parentDeathSignal: 'TERM' | 'KILL'): string[];
  /** The owner that PostgreSQL's files must have; undefined if we run as that user already. */
  owner: { uid: number; gid: number } | undefined;
}

/**
 * An ordinary user runs PostgreSQL as itself. Root runs it as another user, with the capability to traverse folders that
 * this user could not enter otherwise, such as a checkout below /root.
 */
export function choosePostgresUser(dataFolder: string, paths: string[]): PostgresUser {
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  const isRoot = process.getuid?.() === 0;
  if (!setpriv && isRoot) {
    throw new SetupError(
      'PostgreSQL refuses to run as root, and setpriv (from util-linux) is not installed to run it as another user. Start Qrelay as an ordinary user, or set DATABASE_URL.',
    );
  }
  if (!setpriv) return { commandPrefix: () => [], owner: undefined };
  // Without this flag (util-linux before 2.33), the server keeps running when Qrelay is killed, until the next start.
  const hasDeathSignal = spawnSync(setpriv, ['--pdeathsig=TERM', 'true']).status === 0;
  const owner = isRoot ? chooseAccount(dataFolder) : undefined;
  const flags = owner ? [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'] : [];
  if (owner && !paths.every(isReachableByAll)) flags.push(...traverseCapability());
  return {
    commandPrefix(parentDeathSignal) {
      const all = hasDeathSignal ? [...flags, `--pdeathsig=${parentDeathSignal}`] : flags;
      return all.length > 0 ? [setpriv, ...all] : [];
    },
    owner,
  };
}

/** The weaker capability if we have it: containers often withhold dac_read_search but give their root dac_override. */
function traverseCapability(): string[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  const held = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  const capabilities = { dac_read_search: 2n, dac_override: 1n };
  for (const [name, bit] of Object.entries(capabilities)) {
    if (!((held >> bit) & 1n)) continue;
    // The securebit makes access(), which PostgreSQL calls, respect the ambient capability.
    return [`--inh-caps=+${name}`, `--ambient-caps=+${name}`, '--securebits=+no_setuid_fixup'];
  }
  throw new SetupError(
    'PostgreSQL refuses to run as root, and no other user can enter this folder. Start Qrelay as an ordinary user, move it to a folder that others can enter, or set DATABASE_URL.',
  );
}

/** The owner of an existing database, else `postgres`, else `nobody`. */
function chooseAccount(dataFolder: string): { uid: number; gid: number } {
  if (existsSync(dataFolder)) {
    const { uid, gid } = statSync(dataFolder);
    if (uid !== 0) return { uid, gid };
  }
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((fields) => fields[0] === name);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new SetupError(
    'PostgreSQL refuses to run as root, and this machine has no other user. Set DATABASE_URL.',
  );
}

function isReachableByAll(path: string): boolean {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(folder) && statSync(folder).isDirectory() && (statSync(folder).mode & 0o001) === 0)
      return false;
  }
  return true;
}
