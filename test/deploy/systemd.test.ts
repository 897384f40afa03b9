import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findProgram } from '../support/find-program.ts';
import { expectBuilt, expectValidEnvironment, readText, root } from './files.ts';

const folder = 'deploy/systemd';
const services = readdirSync(join(root, folder)).filter((name) => name.endsWith('.service'));

/** All values of a setting of a unit. */
const valuesOf = (unit: string, setting: string) =>
  [...readText(`${folder}/${unit}`).matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map(
    ([, value = '']) => value,
  );

const variablesIn = (lines: string[]) =>
  Object.fromEntries(lines.map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]));

describe('The systemd units', () => {
  it('are a web process and a worker, each after a migration', () => {
    expect(services.toSorted()).to.deep.equal(['qrelay-web@.service', 'qrelay-worker@.service']);
    for (const unit of services) {
      expectBuilt(valuesOf(unit, 'ExecStart')[0]?.split(' ')[1] ?? '');
      // A web process starts without a database as well; a worker has nothing to do then.
      const option = unit.startsWith('qrelay-web') ? ' --if-reachable' : '';
      expect(valuesOf(unit, 'ExecStartPre')).to.deep.equal([
        `/usr/bin/node dist/src/cli.js migrate --json${option}`,
      ]);
    }
  });

  it('are restarted however often they fail, whichever unit fails before them', () => {
    for (const unit of services) {
      expect(valuesOf(unit, 'Restart')).to.deep.equal(['always']);
      expect(valuesOf(unit, 'StartLimitIntervalSec')).to.deep.equal(['0']);
      expect(valuesOf(unit, 'Requires')).to.deep.equal([]);
    }
  });

  it('run files that exist', () => {
    for (const unit of services)
      for (const command of valuesOf(unit, 'ExecStartPost'))
        expect(existsSync(join(root, command.split(' ')[1] ?? '')), command).to.equal(true);
  });

  it('set a valid environment, as does the example beside them', () => {
    for (const unit of services) {
      const words = valuesOf(unit, 'Environment').flatMap((value) => value.split(' '));
      const { NODE_ENV: mode, ...variables } = variablesIn(words.map((word) => word.replace('%i', '3000')));
      expect(mode).to.equal('production');
      expectValidEnvironment(variables);
    }
    const lines = readText(`${folder}/env.example`).split('\n');
    expectValidEnvironment(variablesIn(lines.filter((line) => /^[A-Z]/.test(line))));
  });

  it('run as a user of their own, write to the spool only, and have time to drain', () => {
    for (const unit of services) {
      expect(valuesOf(unit, 'User')).to.deep.equal(['qrelay']);
      expect(valuesOf(unit, 'ProtectSystem')).to.deep.equal(['strict']);
      expect(valuesOf(unit, 'NoNewPrivileges')).to.deep.equal(['yes']);
      expect(valuesOf(unit, 'StateDirectory')).to.deep.equal(
        unit === 'qrelay-web@.service' ? ['qrelay'] : [],
      );
    }
    expect(valuesOf('qrelay-web@.service', 'TimeoutStopSec')).to.deep.equal(['30']);
    expect(valuesOf('qrelay-worker@.service', 'TimeoutStopSec')).to.deep.equal(['30']);
  });

  it('are accepted by systemd without a warning', function () {
    const program = findProgram('systemd-analyze');
    if (!program) return this.skip();
    const copies = mkdtempSync(join(tmpdir(), 'qrelay-units-'));
    // Instances of the templates, as an operator enables them.
    for (const unit of services)
      cpSync(
        join(root, folder, unit),
        join(copies, unit.replace('web@', 'web@3000').replace('worker@', 'worker@9465')),
      );
    cpSync(join(root, folder, 'qrelay.target'), join(copies, 'qrelay.target'));
    const units = readdirSync(copies).map((name) => join(copies, name));
    const { status, stdout, stderr } = spawnSync(program, ['verify', '--man=no', ...units], {
      encoding: 'utf8',
    });
    rmSync(copies, { recursive: true });
    const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('qrelay'));
    expect(about).to.deep.equal([]);
    expect(status).to.equal(0);
  });
});
