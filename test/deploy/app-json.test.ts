import { expect } from 'chai';
import { readConfig } from '../../src/config.ts';
import { connectionCounts } from '../../src/queue/connection-counts.ts';
import { expectBuilt, expectValidEnvironment, readJson, readText } from './files.ts';

interface AppJson {
  formation: Record<string, unknown>;
  addons: { plan: string }[];
  env: Record<string, { value?: string; generator?: string; required?: boolean }>;
}

describe('app.json', () => {
  const app = readJson('app.json') as AppJson;

  it('starts every process of the Procfile but the release, which the platform runs by itself', () => {
    const commands = [...readText('Procfile').matchAll(/^(\w+): node (\S+)/gm)];
    for (const [, , file = ''] of commands) expectBuilt(file);
    expect([...Object.keys(app.formation), 'release']).to.have.members(commands.map(([, name]) => name));
  });

  const values = Object.entries(app.env).map(([name, { value, generator }]) => [
    name,
    value ?? (generator === 'secret' ? '0123456789abcdef' : ''),
  ]);
  // The driver of PostgreSQL reads PGSSLMODE, not we.
  const { PGSSLMODE: tls, ...environment } = Object.fromEntries(values) as Record<string, string>;

  it('sets a valid environment', () => {
    expectValidEnvironment(environment);
    expect(tls).to.equal('no-verify');
  });

  it('opens fewer connections than the plan of PostgreSQL allows', () => {
    const allowed: Record<string, number> = { 'essential-0': 20, 'essential-1': 20, 'essential-2': 40 };
    const plan = app.addons.find((addon) => addon.plan.startsWith('heroku-postgresql:'))?.plan ?? '';
    const { web, worker } = connectionCounts(readConfig(environment).config);
    // Some are left for the release phase and the command line.
    expect(web + worker + 4).to.be.at.most(allowed[plan.split(':')[1] ?? ''] ?? 0);
  });
});
