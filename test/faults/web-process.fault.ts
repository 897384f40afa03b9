import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  asNobody,
  cleanUp,
  expectAllGone,
  folderOfNobody,
  type Instance,
  isRoot,
  kill,
  newFolder,
  processesOf,
  start,
  webProgram,
} from '../processes/instance.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase } from '../support/test-database.ts';

// More of what test/processes/refusals.test.ts tests.
describe('The web process, when it cannot start', () => {
  after(cleanUp);

  it('says that the spool belongs to another user', async function () {
    if (!isRoot) this.skip();
    const database = await createTestDatabase();
    const folder = await folderOfNobody();
    const dataDir = join(folder, 'data');
    await mkdir(dataDir, { mode: 0o755 });
    const instance = await start({
      dataDir,
      command: [...asNobody, ...webProgram],
      env: { DATABASE_URL: database.url, LOG_LEVEL: 'silent' },
    });
    expect(await instance.exit()).to.equal(1);
    expect((JSON.parse(instance.stdout()) as { msg: string }).msg).to.include(
      `DATA_DIR ${dataDir} is not writable (EACCES)`,
    );
    await database.drop();
  });

  describe('of WEB_CONCURRENCY=2, with a database that accepts connections and never responds', () => {
    const silent = createServer();
    let instance: Instance;
    let primary: number;
    let children: number[];
    before(async () => {
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
    });
    after(() => silent.close());
    beforeEach(async () => {
      let connected = 0;
      silent.on('connection', () => (connected += 1));
      const { port } = silent.address() as AddressInfo;
      instance = await start({
        dataDir: join(await newFolder(), 'data'),
        command: webProgram,
        env: {
          WEB_CONCURRENCY: '2',
          LOG_LEVEL: 'silent',
          DATABASE_URL: `postgres://qrelay@127.0.0.1:${port}/qrelay`,
        },
      });
      await eventually(() => expect(connected).to.equal(2), 20_000);
      silent.removeAllListeners('connection');
      primary = instance.child.pid ?? 0;
      children = instance.pids('web').filter((pid) => pid !== primary);
      expect(children).to.have.length(2);
    });

    it('stops the other process before it exits, when one exits before it was ready', async () => {
      kill(children[0] ?? 0);
      expect(await instance.exit()).to.equal(1);
      expect(processesOf(instance.dataDir)).to.deep.equal([]);
      const { msg } = JSON.parse(instance.stdout()) as { msg: string };
      expect(msg).to.match(/^The web \d process exited before it was ready \(SIGKILL\)\.$/);
      expect(instance.stderr()).to.equal('');
    });

    it('makes both processes exit silently when the primary is killed while they start', async () => {
      kill(primary);
      await expectAllGone(instance.dataDir);
      expect(instance.stdout() + instance.stderr()).to.equal('');
    });
  });
});
