import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { openDatabase } from '../../src/store/database.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { createCode, openShare, type SharedCode } from '../support/share.ts';
import { createBareDatabase, type TestDatabase } from '../support/test-database.ts';
import { cleanUp, expectAllGone, type Instance, newFolder, start } from './instance.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
/** The files of a clone that `npm run dev` needs. */
const cloned = ['src', 'workers', 'migrations', 'package.json', 'package-lock.json', 'tsconfig.json'];

describe('npm run dev [processes]', function () {
  this.timeout(180_000);
  let folder: string;
  let database: TestDatabase;
  let instance: Instance;
  let api: ApiClient;
  let code: SharedCode;

  before(async () => {
    folder = join(await newFolder(), 'clone');
    await mkdir(folder);
    for (const name of cloned) await cp(join(project, name), join(folder, name), { recursive: true });
    await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
    database = await createBareDatabase();
    instance = await start({
      folder,
      dataDir: join(await newFolder(), 'data'),
      command: ['npm', 'run', 'dev'],
      env: { DATABASE_URL: database.url },
    });
    await instance.ready();
    const db = openDatabase(database.url, { poolMax: 1, applicationName: 'test' });
    const user = await findOrCreateUser(db, 'dev@example.com', new Date());
    api = apiClient(instance.url, await createApiKey(db, ownWorkspaceId(user), 'dev', new Date()));
    await db.destroy();
    code = await createCode(api);
  });
  after(async () => {
    instance?.child.kill('SIGTERM');
    if (instance) await expectAllGone(instance.dataDir, 30_000);
    await cleanUp();
    await database?.drop();
  });

  const picture = async () => {
    const answer = await fetch(`${instance.url}/r/${code.shareToken}.svg`, {
      headers: { Connection: 'close' },
    });
    expect(answer.status).to.equal(200);
    return answer.text();
  };

  it('draws images and records scans on a fresh clone without a build', async () => {
    expect(await picture()).to.match(/^<svg /);
    expect((await openShare(instance.url, code.shareToken)).status).to.equal(302);
    await eventually(async () => {
      expect((await api(`/qrcodes/${code.id}`)).body).to.include({ scanCount: 1 });
    });
  });

  it('uses changed thread code, whatever an old build contains', async () => {
    const [web, worker] = [instance.pid('web'), instance.pid('worker')];
    const old = join(folder, 'dist', 'src', 'codes', 'image');
    await mkdir(old, { recursive: true });
    await writeFile(join(old, 'image-thread-main.js'), "throw new Error('an old build');");
    const file = join(folder, 'src', 'codes', 'image', 'draw.ts');
    const source = await readFile(file, 'utf8');
    expect(source).to.include('<svg xmlns');
    await writeFile(file, source.replace('<svg xmlns', '<svg class="changed" xmlns'));
    await eventually(async () => expect(await picture()).to.include('class="changed"'), 60_000);
    expect(instance.pid('web')).to.not.equal(web);
    await eventually(() => expect(instance.pid('worker')).to.not.equal(worker));
  });
});
