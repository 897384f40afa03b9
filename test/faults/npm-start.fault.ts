import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  asNobody,
  cleanUp,
  expectAllGone,
  expectReleased,
  expectServes,
  folderOfNobody,
  isRoot,
  kill,
  newFolder,
  npmStart,
  processesOf,
  standalone,
  start,
  usedDataDir,
} from '../processes/instance.ts';
import { eventually } from '../support/eventually.ts';

// What takes many starts of the whole service; test/processes has the rest.
describe('npm start, again and again', function () {
  this.timeout(180_000);
  after(cleanUp);

  it('runs as an ordinary user', async function () {
    if (!isRoot) this.skip();
    const instance = await start({
      dataDir: join(await folderOfNobody(), 'data'),
      command: [...asNobody, ...standalone],
    });
    await instance.ready();
    await expectServes(instance);
    instance.child.kill('SIGINT');
    expect(await instance.exit()).to.equal(0);
    await expectAllGone(instance.dataDir);
    expectReleased(instance.dataDir);
  });

  it('shares the port among WEB_CONCURRENCY processes, and replaces one that is killed', async () => {
    const instance = await start({ dataDir: await usedDataDir(), env: { WEB_CONCURRENCY: '2' } });
    await instance.ready();
    const first = instance.pids('web');
    expect(first, 'one that watches, two that serve').to.have.length(3);
    const victim = Math.max(...first);
    process.kill(victim, 'SIGKILL');
    await expectServes(instance);
    await eventually(() => {
      expect(instance.pids('web').filter((pid) => pid !== victim)).to.have.length(3);
    });
    await expectServes(instance);

    const second = instance.pids('web');
    process.kill(Math.min(...first), 'SIGKILL');
    await eventually(() => {
      expect(instance.pids('web').filter((pid) => !second.includes(pid))).to.have.length(3);
    }, 20_000);
    await expectServes(instance);
    instance.child.kill('SIGTERM');
    expect(await instance.exit()).to.equal(0);
    await expectAllGone(instance.dataDir);
  });

  it('stops everything by itself when npm is killed', async () => {
    const instance = await start({ dataDir: await usedDataDir(), command: npmStart });
    await instance.ready();
    kill(instance.child.pid ?? 0);
    await expectAllGone(instance.dataDir);
    expectReleased(instance.dataDir);
  });

  it('recovers after SIGKILL: of itself with Postgres left behind, of itself alone, and of all processes', async () => {
    const dataDir = await usedDataDir();
    const first = await start({ dataDir });
    await first.ready();
    const leftBehind = first.pid('postgres');
    // Suspended, so that it is still there at the next start.
    process.kill(leftBehind, 'SIGSTOP');
    kill(first.pid('standalone'));
    // On the same port each time, so that a process that still holds it is noticed.
    const { port } = first;
    const second = await start({ dataDir, port });
    process.kill(leftBehind, 'SIGCONT');
    await second.ready();
    expect(second.pids('postgres')).to.have.length(1).and.not.include(leftBehind);

    kill(second.pid('standalone'));
    await expectAllGone(dataDir);
    const third = await start({ dataDir, port });
    await third.ready();

    for (const { pid } of processesOf(dataDir)) kill(pid);
    const fourth = await start({ dataDir, port });
    await fourth.ready();
    await expectServes(fourth);
    fourth.child.kill('SIGTERM');
    expect(await fourth.exit()).to.equal(0);
    await expectAllGone(dataDir);
    expectReleased(dataDir);
  });

  it('starts over after SIGKILL while the database is created', async () => {
    const dataDir = join(await newFolder(), 'data');
    const first = await start({ dataDir });
    await eventually(() => first.pid('initdb'));
    kill(first.pid('standalone'));
    expect(existsSync(join(dataDir, 'postgres.unfinished'))).to.equal(true);
    const second = await start({ dataDir });
    await second.ready();
    await expectServes(second);
    expect(existsSync(join(dataDir, 'postgres.unfinished'))).to.equal(false);
    second.child.kill('SIGTERM');
    expect(await second.exit()).to.equal(0);
    await expectAllGone(dataDir);
  });
});
