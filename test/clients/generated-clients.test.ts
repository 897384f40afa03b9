// Inputs: clients/typescript/src/schema.ts, test/clients, src/web/api, src/accounts, src/codes, src/scans, src/webhooks, src/errors.ts, src/limits.ts, src/schema.ts
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { operations } from '../../src/web/api/router.ts';
import { Scan } from '../../src/scans/scan.ts';
import { scanRow } from '../support/scan-rows.ts';
import type { TestService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { clientTypesFile } from './client-types.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const modules = join(root, 'node_modules');
const typeScriptApi = new URL('use-typescript-api.mjs', import.meta.url).href;

/** `strict`, including declarations. Not exactOptionalPropertyTypes: the files that hey-api copies do not support it. */
const tsconfig = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    module: 'nodenext',
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    rootDir: '.',
    outDir: 'out',
  },
  include: ['drivers', 'hey-api', 'openapi-typescript'],
};

interface Driver {
  roundTrip(
    baseUrl: string,
    key: string,
    fetch: typeof globalThis.fetch,
    scan: (id: string) => Promise<void>,
  ): Promise<object>;
}

describe('Clients generated from /api/v1/openapi.json', () => {
  let service: TestService;
  let folder: string;

  before(async () => {
    service = await sharedService();
    folder = await mkdtemp(join(tmpdir(), 'qrelay-clients-'));
    await symlink(modules, join(folder, 'node_modules'), 'dir');
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    await cp(fileURLToPath(new URL('drivers', import.meta.url)), join(folder, 'drivers'), {
      recursive: true,
    });
    const document = join(folder, 'openapi.json');
    await writeFile(document, await (await fetch(`${service.url}/api/v1/openapi.json`)).text());
    // What openapi-typescript makes of the document: typescript-client.test.ts compares it.
    await cp(clientTypesFile, join(folder, 'openapi-typescript/schema.d.ts'));
    const program = join(modules, '@hey-api/openapi-ts/dist/run.mjs');
    const args = ['-i', document, '-o', 'hey-api', '-p', ...plugins];
    await run(process.execPath, ['--import', typeScriptApi, program, ...args], { cwd: folder });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch', 'zod'];
  it('compile with strict, without errors', async () => {
    const compiler = join(modules, 'typescript', 'bin', 'tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).to.equal('');
  });

  it('have no `unknown` and no field with a default that must be sent', async () => {
    const zod = await readFile(join(folder, 'hey-api/zod.gen.ts'), 'utf8');
    expect(zod).to.not.include('z.unknown').and.not.include('z.any');
    const types = await readFile(join(folder, 'openapi-typescript/schema.d.ts'), 'utf8');
    expect(types).to.not.include('@enum {unknown}');
  });

  const scanned = async (id: string): Promise<void> => {
    const now = Date.now();
    const older = scanRow(id, new Date(now - 1_000).toISOString());
    await Scan.record(service.db, [older, scanRow(id, new Date(now).toISOString(), { city: null })]);
  };
  /** What the driver returns. Fails if it leaves out an operation. */
  async function roundTrip(driver: string): Promise<object> {
    const file = join(folder, 'out/drivers', `${driver}.js`);
    const { roundTrip: go } = (await import(pathToFileURL(file).href)) as Driver;
    const base = `${service.url}/api/v1`;
    const called = new Set<string>();
    const result = await go(
      base,
      await service.makeKey(),
      async (input, init) => {
        const request = new Request(input, init);
        called.add(`${request.method} ${request.url.slice(base.length).replace(/[?].*/, '')}`);
        return fetch(request);
      },
      scanned,
    );
    const missing = operations.filter(({ method, path }) => {
      const pattern = new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      return ![...called].some((call) => pattern.test(call));
    });
    expect(
      missing.map(({ id }) => id),
      `call these in test/clients/drivers/${driver}.ts`,
    ).to.deep.equal([]);
    return result;
  }
  /** What both drivers return. A new operation adds its line in both of them and here. */
  const seen = {
    created: 'Menu',
    bulk: ['Table 1', 256, 204],
    read: 2,
    listed: true,
    changedType: 'text',
    isRenewedByScans: true,
    afterExpiryUrl: 'https://example.com/closed',
    pageTitle: 'Café',
    scans: ['mobile nowhere', 'mobile St Albans'],
    analytics: 'mobile',
    labels: '%P',
    files: 'PK',
    webhook: ['CRM', true, 'whsec_'],
    delivery: ['ping', 'pending', 2],
    account: ['pro', 50_000, 0],
    webhookDeleted: 204,
    designed: [true, 'dots', 204],
    logo: ['string', true, 204],
    photo: [true, 204],
    file: ['Menu.png', 'image/png', 204],
    pageLogo: ['Café', 'Café', 204],
    style: ['Summer', 'Winter', 1, 'dots', 'string', true, 204],
    styled: [1, true, 204],
    history: ['created', 'Menu', 'Menu', true, 'at,actorKind'],
    deleted: 204,
    trash: ['string', true, 204],
    error: 'not_found',
  };

  it('openapi-typescript with openapi-fetch: call every operation', async () => {
    expect(await roundTrip('openapi-fetch')).to.deep.equal({ ...seen, changed: 'Menu 2' });
  });

  it('hey-api with zod: the same, and every response matches its schema', async () => {
    expect(await roundTrip('hey-api')).to.deep.equal({ ...seen, changed: '🎉'.repeat(100) });
  });
});
