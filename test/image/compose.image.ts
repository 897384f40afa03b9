import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { root } from '../deploy/files.ts';
import { installPackages } from './install-packages.ts';

/** What compose.yaml asks for. */
const settings = { DOMAIN: 'qr.example.com', POSTGRES_PASSWORD: 'abc123', GRAFANA_PASSWORD: 'abc123' };

describe('compose.yaml, read by the real programs', () => {
  before(async function () {
    const packages = { 'docker-compose': ['docker-compose'], caddy: ['caddy'] };
    if (!(await installPackages(packages))) return this.skip();
  });

  function run(program: string, args: string[], env: Record<string, string>) {
    const { PATH = '' } = process.env;
    return spawnSync(program, args, { cwd: root, encoding: 'utf8', env: { PATH, HOME: '/tmp', ...env } });
  }

  it('is accepted by Compose', () => {
    const { status, stdout, stderr } = run('docker-compose', ['-f', 'compose.yaml', 'config'], settings);
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include('BASE_URL: https://qr.example.com');
  });

  it('is refused by Compose while a variable is missing, which the message names', () => {
    for (const name of Object.keys(settings)) {
      const { status, stderr } = run('docker-compose', ['-f', 'compose.yaml', 'config'], {
        ...settings,
        [name]: '',
      });
      expect(status, name).to.equal(1);
      expect(stderr).to.include(`set ${name}`);
    }
  });

  it('has a Caddyfile that Caddy accepts', () => {
    const args = ['validate', '--adapter', 'caddyfile', '--config', 'deploy/compose/Caddyfile'];
    const { status, stdout, stderr } = run('caddy', args, settings);
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include('Valid configuration');
  });
});
