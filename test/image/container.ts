import { image } from './build-image.ts';
import { type Outcome, podman, tryPodman } from './podman.ts';

type Settings = Record<string, string>;

/** As compose.yaml and the Helm chart run it: read-only, without capabilities; only /tmp and the spool can be written. */
function options(settings: Settings, spool?: string): string[] {
  return [
    '--network=host',
    '--cgroups=disabled',
    // By default, podman asks for more than a machine may allow.
    '--ulimit=nofile=8192:8192',
    '--ulimit=nproc=4096:4096',
    '--read-only',
    '--read-only-tmpfs=false',
    '--tmpfs=/tmp',
    '--cap-drop=all',
    '--security-opt=no-new-privileges',
    ...(spool ? [`--volume=${spool}:/data`] : []),
    ...Object.entries({ HOST: '127.0.0.1', ...settings }).map(([name, value]) => `--env=${name}=${value}`),
  ];
}

export interface Container {
  /** Runs a command in it. */
  exec(...command: string[]): Promise<Outcome>;
  /** Runs the HEALTHCHECK of the image, and gives its exit code. */
  checkHealth(): Promise<number | null>;
  logs(): Promise<string>;
  /** Stops it as a platform does, removes it, and gives its exit code. */
  stop(): Promise<number>;
}

interface Start {
  settings: Settings;
  /** Name of the volume. */
  spool?: string;
  command?: string[];
}

export async function startContainer({ settings, spool, command = [] }: Start): Promise<Container> {
  const id = await podman(['run', '--detach', ...options(settings, spool), image, ...command]);
  return {
    exec: (...words) => tryPodman(['exec', id, ...words]),
    checkHealth: async () => (await tryPodman(['healthcheck', 'run', id])).code,
    async logs() {
      const { stdout, stderr } = await tryPodman(['logs', id]);
      return stdout + stderr;
    },
    async stop() {
      await podman(['stop', '--time', '30', id]);
      const code = await podman(['wait', id]);
      await podman(['rm', '--force', id]);
      return Number(code);
    },
  };
}

/** Runs a container to its end. */
export function runContainer(settings: Settings, ...command: string[]): Promise<Outcome> {
  return tryPodman(['run', '--rm', ...options(settings), image, ...command]);
}
