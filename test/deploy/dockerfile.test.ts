import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { expectBuilt, readJson, readText, root } from './files.ts';

const dockerfile = readText('Dockerfile').replace(/\\\n/g, ' ');
const linesOf = (instruction: string) =>
  [...dockerfile.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].map(([, rest = '']) => rest.trim());

describe('Dockerfile', () => {
  it('copies only files that exist and that .dockerignore lets through', () => {
    const allowedPaths = readText('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = linesOf('COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(' ').slice(0, -1));
    expect(copied).to.include.members(['package.json', 'src', 'workers', 'migrations']);
    for (const path of copied) {
      expect(existsSync(join(root, path)), path).to.equal(true);
      expect(
        allowedPaths.some((allowed) => path === allowed || path.startsWith(`${allowed}/`)),
        `${path} is not in .dockerignore`,
      ).to.equal(true);
    }
    for (const path of allowedPaths) expect(existsSync(join(root, path)), path).to.equal(true);
  });

  it('uses a Node version that package.json allows', () => {
    const [, version = ''] = /^ARG NODE_VERSION=(\d+)$/m.exec(dockerfile) ?? [];
    const { engines } = readJson('package.json') as { engines: { node: string } };
    expect(Number(version)).to.be.at.least(Number(/\d+/.exec(engines.node)?.[0]));
  });

  it('starts a web process by default, as a user that is not root', () => {
    const [command = '[]'] = linesOf('CMD').slice(-1);
    expectBuilt((JSON.parse(command) as string[])[1] ?? '');
    expect(linesOf('USER')).to.deep.equal(['10001:10001']);
  });
});
