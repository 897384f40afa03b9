import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { checkProof, createProofChallenge } from '../../src/accounts/proof-of-work.ts';
import { solveProof } from '../support/solve-proof.ts';

const sign = (text: string) => createHmac('sha256', 'key').update(text).digest('base64url');
const secrets = { signProof: sign, isProofSignature: (given: string, text: string) => given === sign(text) };
const binding = { address: 'a hashed address', email: 'a hashed email' };
const now = new Date('2026-11-17T12:00:00Z');
const after = (ms: number) => new Date(now.getTime() + ms);

describe('A proof of work', () => {
  const challenge = createProofChallenge(secrets, binding, 0, now);
  const [expiresAt = '', bits = '', id = '', signature = ''] = challenge.split('.');
  let proof: string;
  before(() => {
    proof = solveProof(challenge);
  });
  const check = (given: string, { at = now, bound = binding } = {}) => checkProof(secrets, bound, given, at);

  it('is accepted for ten minutes, for the address and the account that it was asked for', () => {
    expect(check(proof)).to.deep.equal({ id, level: 0 });
    expect(check(proof, { at: after(599_000) })).to.deep.equal({ id, level: 0 });
    expect(check(proof, { at: after(600_000) })).to.equal(undefined);
    expect(check(proof, { bound: { ...binding, address: 'another address' } })).to.equal(undefined);
    expect(check(proof, { bound: { ...binding, email: 'another email' } })).to.equal(undefined);
  });

  it('is not accepted where its challenge was changed, or an answer is wrong, missing, repeated or too long', () => {
    const answers = (proof.split(':')[1] ?? '').split(',');
    const join = (list: string[]) => `${challenge}:${list.join(',')}`;
    const wrong = [
      '',
      ':',
      challenge,
      `${challenge}:`,
      join(answers.with(31, '99999999')),
      join(answers.slice(1)),
      join([...answers, answers[0] ?? '']),
      join(answers.with(0, `0${answers[0]}`)),
      join(answers.map(() => answers[0] ?? '')),
      proof.replace(`.${bits}.`, '.01.'),
      proof.replace(expiresAt, after(3_600_000_000).getTime().toString(36)),
      proof.replace(signature, `${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`),
      'x'.repeat(100_000),
    ];
    for (const given of wrong) expect(check(given), given.slice(0, 80)).to.equal(undefined);
  });

  it('takes twice the work with each level, up to the fourth', () => {
    const bitsOf = (level: number) => createProofChallenge(secrets, binding, level, now).split('.')[1];
    expect([0, 1, 2, 3, 4, 100].map(bitsOf)).to.deep.equal(['14', '15', '16', '17', '17', '17']);
  });
});
