import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SetupError } from '../../errors.ts';

/** How to start a program of PostgreSQL, which refuses to run as root. */
export interface RunAs {
  /** What to put before the program and its arguments. It gets the signal once the process that started it is gone. */
  before(signalWhenAlone: 'TERM' | 'KILL'): string[];
  /** The owner that PostgreSQL's files must have; absent where we are that user already. */
  owner: { uid: number; gid: number } | undefined;
}

/**
 * An ordinary user starts PostgreSQL as itself. Root starts it as another user, and lends it the right to pass through
 * folders (a checkout below /root, say) where that user could not otherwise reach the programs or the data.
 */
export function chooseRunAs(dataFolder: string, paths: string[]): RunAs {
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  const isRoot = process.getuid?.() === 0;
  if (!setpriv && isRoot) {
    throw new SetupError(
      'PostgreSQL does not run as root, and setpriv (of util-linux) is not here to start it as another user. Start Qrelay as an ordinary user, or set DATABASE_URL.',
    );
  }
  if (!setpriv) return { before: () => [], owner: undefined };
  // Without it (util-linux before 2.33) a server whose Qrelay was killed runs on until the next start.
  const canFollow = spawnSync(setpriv, ['--pdeathsig=TERM', 'true']).status === 0;
  const owner = isRoot ? chooseAccount(dataFolder) : undefined;
  const rights = owner ? [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'] : [];
  if (owner && !paths.every(isReachableForAll)) rights.push(...rightToPass());
  return {
    before(signalWhenAlone) {
      const flags = canFollow ? [...rights, `--pdeathsig=${signalWhenAlone}`] : rights;
      return flags.length > 0 ? [setpriv, ...flags] : [];
    },
    owner,
  };
}

/** The least that will do. Containers often withhold the first, and give the second to their root. */
function rightToPass(): string[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  const held = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  const capabilities = { dac_read_search: 2n, dac_override: 1n };
  for (const [name, bit] of Object.entries(capabilities)) {
    if (!((held >> bit) & 1n)) continue;
    // The last one, because PostgreSQL asks access(), which does not look at lent rights otherwise.
    return [`--inh-caps=+${name}`, `--ambient-caps=+${name}`, '--securebits=+no_setuid_fixup'];
  }
  throw new SetupError(
    'PostgreSQL does not run as root, and no other user can reach this folder. Start Qrelay as an ordinary user, move it to a folder that others can enter, or set DATABASE_URL.',
  );
}

/** The owner of an existing database; else `postgres` where there is one, else `nobody`. */
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
    'PostgreSQL does not run as root, and this machine has no other user. Set DATABASE_URL.',
  );
}

function isReachableForAll(path: string): boolean {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(folder) && statSync(folder).isDirectory() && (statSync(folder).mode & 0o001) === 0)
      return false;
  }
  return true;
}
