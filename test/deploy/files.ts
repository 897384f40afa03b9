import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const readText = (file: string) => readFileSync(join(root, file), 'utf8');
export const readYaml = (file: string) => parse(readText(file), { merge: true }) as unknown;
export const readJson = (file: string) => JSON.parse(readText(file)) as unknown;

/** Every environment variable that src/config.ts reads. */
export function knownVariables(): Set<string> {
  const read = new Set<string>();
  readConfig(new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) }));
  return read;
}

/** That src/config.ts reads all of them and accepts their values. */
export function expectValidEnvironment(environment: Record<string, string>): void {
  expect([...knownVariables()]).to.include.members(Object.keys(environment));
  expect(readConfig(environment).errors).to.deep.equal([]);
}

/** That a file of the build, such as `dist/src/server.js`, is built from a source that exists. */
export function expectBuilt(file: string): void {
  const source = /^dist\/(.+)\.js$/.exec(file)?.[1];
  expect(source && existsSync(join(root, `${source}.ts`)), file).to.equal(true);
}
