import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { podman, tryPodman } from './podman.ts';

/**
 * What the Dockerfile starts from. The tests use no image registry: Debian comes from its own archive, without what the
 * slim images leave out, and Node and npm from their packages on npm.
 */
export async function ensureBaseImages(nodeVersion: string, debian: string): Promise<void> {
  const plain = `docker.io/library/debian:${debian}-slim`;
  const withNode = `docker.io/library/node:${nodeVersion}-${debian}-slim`;
  if (!(await exists(plain))) await importDebian(debian, plain);
  if (!(await exists(withNode))) await addNode(nodeVersion, plain, withNode);
}

const exists = async (image: string) => (await tryPodman(['image', 'exists', image])).code === 0;

async function importDebian(suite: string, image: string): Promise<void> {
  const left = ['/usr/share/man/*', '/usr/share/info/*', '/usr/share/locale/*', '/usr/share/doc/*'];
  const options = [
    ...left.map((path) => `--dpkgopt=path-exclude=${path}`),
    '--dpkgopt=path-include=/usr/share/doc/*/copyright',
    '--include=adduser,tzdata',
    // As in the image: a merged /usr, but without the package usrmerge, which would bring all of Perl.
    '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
    '--setup-hook=printf "Package: usrmerge\\nPin: version *\\nPin-Priority: -1\\n" >"$1"/etc/apt/preferences.d/no-usrmerge',
    '--customize-hook=rm -rf "$1"/etc/apt/preferences.d/* "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*',
  ];
  const child = spawn('mmdebstrap', ['--quiet', '--variant=apt', ...options, suite, '-'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const unnamed = await podman(['import', '--quiet', '--change', 'CMD ["bash"]', '-'], {
    input: child.stdout,
  });
  if ((await closed)[0] !== 0) throw new Error('mmdebstrap failed: see above');
  await podman(['tag', unnamed, image]);
}

async function addNode(version: string, from: string, image: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'qrelay-node-'));
  const local = join(folder, 'usr', 'local');
  mkdirSync(join(local, 'bin'), { recursive: true });
  mkdirSync(join(local, 'lib', 'node_modules'), { recursive: true });
  renameSync(
    join(unpack(`node-linux-${process.arch}@${version}`, folder), 'bin', 'node'),
    join(local, 'bin', 'node'),
  );
  renameSync(unpack('npm@11', folder), join(local, 'lib', 'node_modules', 'npm'));
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin', 'npm'));
  const lines = [`FROM ${from}`, 'COPY usr /usr', 'CMD ["node"]'];
  // Where a proxy inspects TLS, npm needs its certificate. Only the build stage starts from this image.
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  if (authorities) {
    copyFileSync(authorities, join(local, 'authorities.pem'));
    lines.push('ENV NODE_EXTRA_CA_CERTS=/usr/local/authorities.pem');
  }
  writeFileSync(join(folder, 'Dockerfile'), lines.join('\n'));
  await podman([
    'build',
    '--isolation',
    'chroot',
    '--pull=never',
    '--format',
    'docker',
    '--tag',
    image,
    folder,
  ]);
  rmSync(folder, { recursive: true });
}

/** Downloads a package of npm and unpacks it. */
function unpack(name: string, folder: string): string {
  const target = mkdtempSync(join(folder, 'package-'));
  const file = execFileSync('npm', ['pack', '--silent', name], { cwd: target, encoding: 'utf8' }).trim();
  execFileSync('tar', ['-xzf', file], { cwd: target });
  return join(target, 'package');
}
