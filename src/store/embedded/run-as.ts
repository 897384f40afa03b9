import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SetupError } from '../../errors.ts';

/** How to start a program of PostgreSQL, which refuses to run as root. */
export interface RunAs {
  /** Put before the program and its arguments. */
  command: string[];
  /** The owner that PostgreSQL's files must have; absent where we are that user already. */
  owner: { uid: number; gid: number } | undefined;
}

/**
 * An ordinary user starts PostgreSQL as itself. Root starts it as another user, and lends it the right to pass through
 * folders (a checkout below /root, say) where that user could not otherwise reach the programs or the data.
 */
export function chooseRunAs(dataFolder: string, paths: string[]): RunAs {
  if (process.getuid?.() !== 0) return { command: [], owner: undefined };
  const owner = chooseAccount(dataFolder);
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  if (!setpriv) {
    throw new SetupError(
      'PostgreSQL does not run as root, and setpriv (of util-linux) is not here to start it as another user. Start Qrelay as an ordinary user, or set DATABASE_URL.',
    );
  }
  const command = [setpriv, `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  if (!paths.every(isReachableForAll)) {
    command.push('--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search');
  }
  return { command, owner };
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
