import { expect } from 'chai';
import { listRoutes } from '../../src/web/route-table.ts';
import { loadConfig } from '../../src/config.ts';
import { runQrelayHere } from '../support/command-line.ts';

describe('qrelay routes', () => {
  it('prints every route with who may use it, without a database', async () => {
    const { code, stdout } = await runQrelayHere(['routes'], {});
    expect(code).to.equal(0);
    const lines = stdout.trimEnd().split('\n');
    const paths = lines.map((line) => line.split(' ').at(-1));
    expect(paths).to.include.members(listRoutes(loadConfig({})).map(({ path }) => path));
    expect(lines).to.include.members([
      'stranger        GET, HEAD   /r/:token',
      'stranger        GET, HEAD   /f/:token/:name',
      'stranger        any method  /api/v1/openapi.json',
      'key             PATCH       /api/v1/qrcodes/:id',
      'editor or demo  GET, HEAD   /codes/new',
      'editor          POST        /codes/new',
      'operator        POST        /admin/workspaces/:id/plan',
      'operator        any method  /admin/board{/*rest}',
      'monitor         GET, HEAD   /metrics',
    ]);
  });

  it('prints those of one access only', async () => {
    const { stdout } = await runQrelayHere(['routes', '--access', 'monitor'], {});
    expect(stdout).to.equal('monitor         GET, HEAD   /metrics\n');
  });
});
