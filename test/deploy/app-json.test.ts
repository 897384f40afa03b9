import { expect } from 'chai';
import { expectBuilt, expectValidEnvironment, readJson, readText } from './files.ts';

interface AppJson {
  formation: Record<string, unknown>;
  env: Record<string, { value?: string; generator?: string; required?: boolean }>;
}

describe('app.json', () => {
  const app = readJson('app.json') as AppJson;

  it('starts every process of the Procfile but the release, which the platform runs by itself', () => {
    const commands = [...readText('Procfile').matchAll(/^(\w+): node (\S+)/gm)];
    for (const [, , file = ''] of commands) expectBuilt(file);
    expect([...Object.keys(app.formation), 'release']).to.have.members(commands.map(([, name]) => name));
  });

  it('sets a valid environment', () => {
    const values = Object.entries(app.env).map(([name, { value, generator }]) => [
      name,
      value ?? (generator === 'secret' ? '0123456789abcdef' : ''),
    ]);
    expectValidEnvironment(Object.fromEntries(values) as Record<string, string>);
  });
});
