import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { loadConfig } from '../../../src/config.ts';
import { buildOpenApi } from '../../../src/web/api/openapi.ts';
import { type OpenApiDocument, readReference, type ShownOperation } from '../../../src/web/api/reference.ts';
import { operations as declared } from '../../../src/web/api/router.ts';
import { languages } from '../../../src/web/docs/examples.ts';
import { verification } from '../../../src/web/docs/guides/events.tsx';
import { pictureRequest } from '../../../src/web/docs/guides/pictures.tsx';
import { generateSecret, signedHeaders } from '../../../src/webhooks/signing.ts';
import { png } from '../../codes/files/logo-files.ts';
import { pdf } from '../../codes/files/pdf-file.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { assumedProofs, quickImages } from '../../support/shared-threads.ts';
import { canRun, type Example, runExamples } from './run-examples.ts';

const baseUrl = 'https://qr.test';
const reference = readReference(
  buildOpenApi(declared, loadConfig({ BASE_URL: baseUrl })) as unknown as OpenApiDocument,
);
const operations = reference.resources.flatMap((resource) => resource.operations);

/** What the operations are called with, by the start of their paths. */
interface Things {
  ids: Record<string, string>;
  token: string;
  /** Ids in the examples of bodies, and what stands for them. */
  replaced: [string, string][];
}

describe('The examples of the docs', () => {
  let service: TestService;
  let folder: string;

  before(async () => {
    // Whether phones can read a design is no question here, and would take most of the time.
    service = await startService({ ...quickImages, proofs: assumedProofs });
    folder = await mkdtemp(join(tmpdir(), 'qrelay-examples-'));
    await writeFile(join(folder, 'file.png'), png());
    await writeFile(join(folder, 'file.pdf'), pdf());
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const language of languages) {
    it(`in ${language.name} call every operation of the service, with success`, async function () {
      if (!(await canRun(language.id))) return this.skip();
      this.timeout(60_000);
      const email = `examples-${language.id}@example.com`;
      const things = await prepare(apiClient(service.url, await service.makeKey({ email })));
      const key = await service.makeKey({ email });
      const run = [...operations].toSorted(deletesLast);
      const here = (code: string) =>
        [[baseUrl, service.url] as const, ...things.replaced].reduce(
          (result, [from, to]) => result.replaceAll(from, to),
          code,
        );
      const examples: Example[] = run.map((operation) => ({
        code: here(language.write(operation.request)),
        env: { KEY: key, ID: idFor(operation, things), VERSION: '1' },
      }));
      const picture = {
        code: here(language.write(pictureRequest(baseUrl))),
        env: { TOKEN: things.token },
      };
      const printed = await runExamples(language.id, [picture, ...examples], folder);
      expect(printed).to.have.length(run.length + 1);
      expect(await readFile(join(folder, 'file.svg'), 'utf8')).to.match(/^<svg /);
      for (const [index, operation] of run.entries())
        expectSuccess(operation, printed[index + 1] ?? '', language.id === 'curl');
      expect(await readFile(join(folder, 'file.zip'), 'latin1')).to.match(/^PK/);
      await Promise.all(['svg', 'zip'].map((ending) => rm(join(folder, `file.${ending}`))));
    });

    it(`in ${language.name} send values as they are, whatever characters they have`, async function () {
      if (!(await canRun(language.id))) return this.skip();
      const received: object[] = [];
      const server = createServer((req, res) => {
        void text(req).then((body) => {
          // fetch writes some characters in another way, with the same meaning.
          const url = decodeURIComponent(req.url ?? '');
          received.push({ method: req.method, url, body: JSON.parse(body) as unknown });
          res.setHeader('Content-Type', 'application/json').end('{}');
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const body = {
        name: 'L\'"Été" \\ $HOME `id` ${x} {y} %s\n\t😀',
        'not an-identifier': [null, true, false, 1.5, [], {}, { a: ['b'] }],
      };
      const { port } = server.address() as AddressInfo;
      const path = "/a'b%24/{id}?alt=%C3%89t%C3%A9's";
      const code = language.write({
        method: 'PUT',
        url: `http://127.0.0.1:${port}${path}`,
        hasKey: true,
        body,
        responseType: 'application/json',
      });
      await runExamples(language.id, [{ code, env: { KEY: 'k', ID: '7' } }], folder);
      server.close();
      expect(received).to.deep.equal([
        { method: 'PUT', url: decodeURIComponent(path.replace('{id}', '7')), body },
      ]);
    });
  }

  for (const language of ['python', 'php'] as const)
    it(`in ${language} verify a call of a webhook, and refuse another one`, async function () {
      if (!(await canRun(language))) return this.skip();
      const secret = generateSecret();
      const body = '{"type":"ping","name":"Été"}';
      const headers = signedHeaders({ id: 'msg_1', body, secrets: [generateSecret(), secret] }, new Date());
      const old = signedHeaders({ id: 'msg_1', body, secrets: [secret] }, new Date(Date.now() - 600_000));
      const call = (given: Record<string, string>, sent: string) => ({
        code: `${verification[language]}\n${callVerify[language](given, sent)}`,
        env: { WEBHOOK_SECRET: secret },
      });
      // PHP declares a function once.
      const runs = [call(headers, body), call(headers, `${body} `), call(old, body)];
      const printed = await Promise.all(runs.map((each) => runExamples(language, [each], folder)));
      expect(printed.map(([output = '']) => output.trim())).to.deep.equal([
        'verified',
        'The signature is wrong',
        'The call is too old',
      ]);
    });
});

const callVerify = {
  python: (headers: object, body: string) =>
    `verify(${JSON.stringify(headers)}, ${JSON.stringify(body)}.encode())\nprint("verified")`,
  php: (headers: object, body: string) =>
    `verify(json_decode('${JSON.stringify(headers)}', true), '${body}');\necho 'verified';`,
};

function expectSuccess({ id, success }: ShownOperation, printed: string, isCurl: boolean): void {
  const status = (isCurl ? /(\d{3})$/ : /^(\d{3})\b/).exec(printed)?.[1];
  // Where the response is a file, the others print nothing unless it fails.
  const expected = success.fileType && !isCurl ? undefined : success.status;
  expect(status, `${id} printed ${printed}`).to.equal(expected);
  if (success.fileType && !isCurl) expect(printed, id).to.equal('');
}

/** What a path identifies: the first part, or, of what changes the kind of a code, the path below it. */
function idFor({ path }: ShownOperation, { ids }: Things): string {
  const [, first = '', rest = ''] = /^\/api\/v1\/([\w-]+)(?:\/\{id\}\/(\w+))?/.exec(path) ?? [];
  return ids[`${first} ${rest}`] ?? ids[first] ?? '';
}

/** Those of parts before those of the whole. */
function deletesLast(one: ShownOperation, other: ShownOperation): number {
  const order = ({ method, path }: ShownOperation) => (method === 'DELETE' ? 1_000 - path.length : 0);
  return order(one) - order(other);
}

async function prepare(api: ApiClient): Promise<Things> {
  const post = async (path: string, body?: object) =>
    (await api(path, { method: 'POST', ...(body && { body }) })).body as { id: string; shareToken: string };
  const link = (name: string) => post('/qrcodes', { name, content: 'https://example.com/menu' });
  const contact = await post('/qrcodes', {
    name: 'Ann',
    type: 'vcard',
    content: 'BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nEND:VCARD',
  });
  const [withFile, first, second] = [await link('File'), await link('First'), await link('Second')];
  const trashed = await link('Trashed');
  await api(`/qrcodes/${trashed.id}`, { method: 'DELETE' });
  const style = await post('/styles', { name: 'Summer', moduleShape: 'dots' });
  const application = await post(`/styles/${style.id}/apply`, { qrCodeIds: [second.id] });
  const webhook = await post('/webhooks', {
    url: 'https://example.com/hook',
    name: 'CRM',
    events: ['code.created'],
  });
  const delivery = await post(`/webhooks/${webhook.id}/test`);
  const nowMs = Date.now();
  return {
    ids: {
      qrcodes: contact.id,
      'qrcodes file': withFile.id,
      'qrcodes restore': trashed.id,
      styles: style.id,
      'style-applications': application.id,
      webhooks: webhook.id,
      'webhook-deliveries': delivery.id,
    },
    token: first.shareToken,
    replaced: [
      ['01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11', first.id],
      ['01936f3e-7c1b-7a22-9b3c-4d5e6f708192', second.id],
      ['2026-11-28T00:00:00.000Z', new Date(nowMs - 60_000).toISOString()],
      ['2026-11-28T12:00:00.000Z', new Date(nowMs).toISOString()],
    ],
  };
}
