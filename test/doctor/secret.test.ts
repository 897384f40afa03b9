import { expect } from 'chai';
import { assessSecrets, type SecretFacts } from '../../src/doctor/secret.ts';

const [a, b] = ['aaaaaaaa', 'bbbbbbbb'];

/** "state: finding", with the stored secret in the database unless told otherwise. */
function assess(facts: Partial<SecretFacts>): string[] {
  const findings = assessSecrets({ configured: [], stored: 'dddddddd', connected: [], ...facts });
  for (const { state, remedy } of findings) expect(remedy === undefined).to.equal(state === 'ok');
  return findings.map(({ state, finding }) => `${state}: ${finding}`);
}

const inDatabase =
  'ok: The root secret is in the database (fingerprint dddddddd), and so in every backup of it. QRELAY_SECRET can keep it apart.';
const fromEnvironment = `ok: The root secret comes from QRELAY_SECRET (fingerprint ${a}).`;
const stillThere =
  'warning: The earlier secret is still in the database (fingerprint dddddddd) and accepted.';
const process = (role: 'web' | 'worker', ...labels: string[]) => ({ role, labels });

describe('How the doctor assesses root secrets', () => {
  it('says where the secret is', () => {
    expect(assess({})).to.deep.equal([inDatabase]);
    expect(assess({ configured: ['database', a] })).to.deep.equal([inDatabase]);
    expect(assess({ configured: [a], stored: undefined })).to.deep.equal([fromEnvironment]);
    expect(assess({ configured: [a] })).to.deep.equal([fromEnvironment, stillThere]);
    expect(assess({ configured: [a, b, 'database'] })).to.deep.equal([
      `${fromEnvironment} Also accepted: ${b}, database.`,
    ]);
    expect(assess({ stored: undefined })[0]).to.match(
      /^failure: The root secret is no longer in the database/,
    );
  });

  it('is content if all processes use the same', () => {
    const connected = [process('web', a), process('worker', a, b)];
    expect(assess({ configured: [a], stored: undefined, connected })).to.deep.equal([
      fromEnvironment,
      `ok: All processes that are connected use the secret ${a}.`,
    ]);
    const unset = [process('web', 'database'), process('worker', 'database')];
    expect(assess({ connected: unset }).at(-1)).to.equal(
      'ok: All processes that are connected use the secret of the database.',
    );
  });

  it('warns while a rotation is under way', () => {
    const connected = [process('web', a, b), process('worker', b, a)];
    expect(assess({ configured: [a, b], stored: undefined, connected }).at(-1)).to.equal(
      `warning: The processes that are connected use the secret ${a} and the secret ${b}; each accepts the values of the others.`,
    );
  });

  it('fails if a worker cannot decrypt the jobs of a web process, or a web process rejects the forms of another', () => {
    const worker = [process('web', a), process('worker', 'database')];
    expect(assess({ configured: [a], connected: worker }).at(-1)).to.equal(
      `failure: A worker process does not have the secret ${a}, which another process uses: it puts back the jobs that were encrypted with it, and their scans wait.`,
    );
    const web = [process('web', a, b), process('web', b), process('worker', a, b)];
    expect(assess({ configured: [a, b], stored: undefined, connected: web }).at(-1)).to.equal(
      `failure: A web process does not have the secret ${a}, which another process uses: it rejects forms that were opened at the other one, and does not know its devices.`,
    );
  });

  it('accepts processes that use the database’s secret as long as it is there', () => {
    const connected = [process('web', 'database', a), process('worker', a)];
    expect(assess({ configured: [a], connected }).at(-1)).to.match(/^warning: The processes .* each accepts/);
    expect(assess({ configured: [a], stored: undefined, connected }).at(-1)).to.match(
      /^failure: A worker process does not have the secret of the database/,
    );
  });

  it('warns if the environment of the command is not that of the processes', () => {
    const connected = [process('web', a), process('worker', a)];
    expect(assess({ configured: [b], stored: undefined, connected }).at(-1)).to.equal(
      `warning: The processes that are connected use the secret ${a}, and the environment of this command has the secret ${b}.`,
    );
  });
});
