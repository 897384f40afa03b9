import { expect } from 'chai';
import { expectAccessible } from '../../support/accessible.ts';
import { desktop, narrowPhone } from '../../support/browser.ts';
import { freePort } from '../../support/free-port.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { startOpenIdProvider, type TestProvider } from '../../support/openid-provider.ts';
import { startService, type TestService } from '../../support/service.ts';
import { isTooWide } from '../../support/web-visitor.ts';

let provider: TestProvider;
let service: TestService;

inABrowser(
  'Sign-in with OpenID Connect',
  async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    provider = await startOpenIdProvider([`${baseUrl}/signin/oidc/callback`]);
    service = await startService({ config: { port, baseUrl, openId: provider.config } });
    return service;
  },
  (site) => {
    after(async () => {
      await service?.stop();
      await provider?.stop();
    });

    it('leads to the provider and back, with the headers of our pages, and again to confirm a change', async () => {
      provider.people.set('ada', { email: 'ada@example.com', email_verified: true });
      const { page, provoked } = await site.visit({ viewport: desktop });
      // The provider's own page asks for a font.
      provoked.push(new RegExp(`^asked (?:${provider.config.issuer}|https://fonts.googleapis.com)/`));
      provoked.push(/^Failed to load resource: net::ERR_/);
      await page.setViewportSize(narrowPhone.viewport);
      await page.goto('/signin');
      expect(await isTooWide(page)).to.equal(false);
      await page.setViewportSize(desktop);
      await page.goto('/signin?next=/account/security');
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
      const enter = async () => {
        await page.getByPlaceholder('Enter any login').fill('ada');
        await page.getByPlaceholder('and password').fill('any');
        await page.getByRole('button', { name: 'Sign-in' }).click();
      };
      await enter();
      await page.waitForURL('**/account/security');
      expect(await page.getByText('Linked to ada@example.com').isVisible()).to.equal(true);
      await expectAccessible(page);

      await service.db('sessions').update({ confirmed_at: null });
      await page.goto('/account');
      await page.getByText('Change password…').click();
      await page.getByRole('button', { name: 'Confirm with Example ID, to change the password' }).click();
      await enter();
      await page.waitForURL('**/account');
      await page.getByText('Confirmed. For ten minutes').waitFor();
      await page.getByText('Change password…').click();
      await page.getByLabel('New password').fill('a quite unusual sentence');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Your password was changed.').waitFor();
    });
  },
);
