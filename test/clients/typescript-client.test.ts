// Inputs: clients, test/clients, src/web/api, src/accounts, src/codes, src/scans, src/webhooks, src/errors.ts, src/limits.ts, src/schema.ts
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { defaultLimits } from '../../src/limits.ts';
import { startService, type TestService } from '../support/service.ts';
import { quickImages } from '../support/shared-threads.ts';
import { clientTypesFile, generateClientTypes } from './client-types.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const client = join(root, 'clients/typescript');

/** What a user of the package writes. */
const program = `
import { createClient, QrelayError, verifyWebhook, type QrCode } from '@qrelay/client';

const qrelay = createClient({ apiKey: process.env['KEY'], baseUrl: process.env['URL'] });
const { id } = await qrelay.codes.create({ name: 'Menu', content: 'https://example.com/menu' });
const names: string[] = [];
for await (const code of qrelay.codes.list({ limit: 1 })) names.push(code.name);
const edited: QrCode = await qrelay.codes.edit(id, ({ name }) => ({ name: name + '!' }));
// @ts-expect-error -- no such field
const wrong = qrelay.codes.update(id, { colour: 'red' }).catch((error: unknown) => (error as QrelayError).code);
const event: Promise<{ type: string }> = verifyWebhook<{ type: string }>('{}', {}, 'whsec_AAAA');
const refused = await event.catch((error: Error) => error.name);
console.log(JSON.stringify([names, edited.name, await wrong, refused]));
`;

const tsconfig = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  },
  files: ['globals.d.ts', 'program.ts'],
};

/** Its tests send more requests than an hour has. */
const limits = { ...defaultLimits, pro: { ...defaultLimits.pro, requestsPerHour: 1_000 } };

describe('@qrelay/client', function () {
  this.timeout(240_000);

  it('has the types of the current OpenAPI document: else run npm run client:types', async () => {
    expect(await readFile(clientTypesFile, 'utf8')).to.equal(await generateClientTypes());
  });

  let service: TestService;
  before(async () => {
    service = await startService({ ...quickImages, config: { limits }, worker: true });
  });
  after(() => service.stop());

  it('passes its own tests against the service', async () => {
    const files = readdirSync(join(client, 'test')).filter((name) => name.endsWith('.test.ts'));
    expect(files).to.have.length.above(5);
    const env = { ...process.env, QRELAY_URL: service.url, QRELAY_API_KEY: await service.makeKey() };
    // In one process: `--test` would start one for each file.
    const imports = files.map((name) => `await import(${JSON.stringify(join(client, 'test', name))});`);
    const args = ['--import', 'tsx', '--input-type=module', '--eval', imports.join('\n')];
    const { stdout } = await run(process.execPath, args, { cwd: root, env }).catch(
      (error: { stdout: string }) => Promise.reject(new Error(error.stdout)),
    );
    expect(stdout).to.match(/^. fail 0$/m);
    expect(Number(/^. pass (\d+)$/m.exec(stdout)?.[1])).to.be.at.least(files.length);
  });

  it('installs from its tarball without dependencies, type-checks and works', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'qrelay-packed-'));
    try {
      const { stdout: packed } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
        cwd: client,
      });
      const tarball = packed.trim().split('\n').at(-1) ?? '';
      const { stdout: listed } = await run('tar', ['-tzf', join(folder, tarball)]);
      expect(listed).to.include('package/README.md').and.include('package/LICENSE');
      expect(listed).to.include('package/dist/index.d.ts').and.not.include('.test.');
      await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}');
      await run(
        'npm',
        ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${tarball}`],
        {
          cwd: folder,
        },
      );
      expect(await readdir(join(folder, 'node_modules'))).to.include('@qrelay');
      const installed = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'));
      expect(installed).to.deep.equal(['@qrelay']);

      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
      await writeFile(join(folder, 'program.ts'), program);
      const globals = 'declare const process: { env: Record<string, string | undefined> };';
      await writeFile(join(folder, 'globals.d.ts'), globals);
      const compiler = join(root, 'node_modules/typescript/bin/tsc');
      const { stdout: errors } = await run(process.execPath, [compiler, '-p', folder]).catch(
        (error: { stdout: string }) => error,
      );
      expect(errors).to.equal('');
      const env = { ...process.env, URL: service.url, KEY: await service.makeKey() };
      const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder, env });
      expect(JSON.parse(stdout)).to.deep.equal([
        ['Menu'],
        'Menu!',
        'validation_error',
        'WebhookVerificationError',
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
