import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBaseImages } from './base-images.ts';
import { installPackages } from './install-packages.ts';
import { podman } from './podman.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const packages = { podman: ['podman'], crun: ['crun'], mmdebstrap: ['mmdebstrap'] };
export const image = 'localhost/qrelay-test';

/** Builds the image by the steps of the Dockerfile. False where this machine cannot: it takes root and Debian's podman. */
export async function buildImage(): Promise<boolean> {
  if (!(await installPackages(packages))) return false;
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const argument = (name: string) => new RegExp(`^ARG ${name}=(.+)$`, 'm').exec(dockerfile)?.[1] ?? '';
  await ensureBaseImages(argument('NODE_VERSION'), argument('DEBIAN'));
  // In a chroot, on the network of this machine. HEALTHCHECK exists only in Docker's format.
  const how = '--isolation=chroot --network=host --pull=never --format=docker';
  // npm's cache spares the download; without layers, the steps between are not packed.
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  const faster = ['--layers=false', `--volume=${cache}:/root/.npm`];
  await podman(['build', ...how.split(' '), ...faster, '--tag', image, root]);
  return true;
}
