import { expect } from 'chai';
import { loadConfig } from '../../src/config.ts';
import { runChecks } from '../../src/doctor/checks.ts';
import { checkOpenId } from '../../src/doctor/openid.ts';
import { startOpenIdProvider } from '../support/openid-provider.ts';
import { goodConfig } from './setup.ts';

describe('The doctor on the OpenID provider', () => {
  it('reads what the provider says about itself, and names the redirect URI', async () => {
    const provider = await startOpenIdProvider(['https://qr.example.com/signin/oidc/callback']);
    const finding = await checkOpenId(goodConfig({ openId: provider.config }));
    await provider.stop();
    expect(finding).to.include({ subject: 'openid', state: 'ok' });
    expect(finding && finding.finding).to.contain('https://qr.example.com/signin/oidc/callback');
    expect(provider.requests).to.deep.equal(['GET /.well-known/openid-configuration']);
  });

  it('fails if it cannot be reached, says who cannot sign in, and names no secret', async () => {
    const env = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'qrelay', OIDC_CLIENT_SECRET: 'hidden' };
    for (const [only, consequence] of [
      ['off', 'Nobody can sign in with 127.0.0.1.'],
      ['on', 'Nobody can sign in.'],
    ] as const) {
      const { openId } = loadConfig({ ...env, OIDC_ONLY: only });
      const finding = await checkOpenId(goodConfig({ openId }));
      expect(finding).to.include({ subject: 'openid', state: 'failure' });
      expect(finding && finding.finding).to.contain(consequence);
      expect(JSON.stringify(finding)).to.contain('OIDC_ISSUER').and.to.not.contain('hidden');
    }
  });

  it('says nothing without one, and does not check a wrong one', async () => {
    expect(await checkOpenId(goodConfig({}))).to.equal(false);
    const config = goodConfig({ databaseUrl: 'postgres://127.0.0.1:9/none' });
    const findings = await runChecks({ config, errors: ['OIDC_ISSUER must be a URL'] });
    const found = findings.filter(({ subject }) => subject === 'openid');
    expect(found.map(({ finding }) => finding)).to.deep.equal(['Not checked: OIDC_ISSUER is invalid.']);
  });
});
