import { expect } from 'chai';
import { png } from '../../codes/files/logo-files.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { createCode } from '../../support/share.ts';

const email = 'copies@example.com';

describe('A code that is duplicated', () => {
  let service: TestService;
  let api: ApiClient;
  let client: FormClient;

  before(async () => {
    service = await sharedService();
    api = apiClient(service.url, await service.makeKey({ email }));
    client = await signedIn(service, email);
  });

  const setLogo = (path: string, color: number) =>
    api(path, {
      method: 'PUT',
      raw: new Uint8Array(png(color, color)),
      headers: { 'Content-Type': 'image/png' },
    });

  async function duplicate(id: string): Promise<{ id: string; location: string }> {
    await client.get(`/codes/${id}`);
    const location = (await client.post(`/codes/${id}/duplicate`, {})).headers.get('Location') ?? '';
    const [, copy = ''] = /\/codes\/([0-9a-f-]{36})\/edit/.exec(location) ?? [];
    return { id: copy, location };
  }

  it('has the design and the logos of the first one, also when that is deleted', async () => {
    const { id } = await createCode(api);
    await api(`/qrcodes/${id}/design`, { method: 'PUT', body: { moduleShape: 'dots' } });
    const { logo } = (await setLogo(`/qrcodes/${id}/design/logo`, 40)).body;
    const page = (await setLogo(`/qrcodes/${id}/page/logo?alt=Us`, 50)).body;
    const copy = await duplicate(id);
    expect(copy.location).to.match(/\?copied$/);
    await api(`/qrcodes/${id}`, { method: 'DELETE' });
    const { body } = await api(`/qrcodes/${copy.id}/design`);
    expect(body).to.include({ moduleShape: 'dots', logo });
    expect(body.readsAtMm).to.be.a('number');
    expect((await api(`/qrcodes/${copy.id}/page/logo`)).body).to.include({ logo: page.logo, alt: 'Us' });
    const { shareToken } = (await api(`/qrcodes/${copy.id}`)).body;
    expect((await fetch(`${service.url}/r/${shareToken}.png`)).status).to.equal(200);
  });

  it('is copied without a design that phones could not read in it, which the page says', async () => {
    const { id } = await createCode(api);
    await api(`/qrcodes/${id}/design`, { method: 'PUT', body: { moduleShape: 'dots' } });
    await service.db('qr_codes').where({ id }).update({ foreground_color: '#eeeeee' });
    const copy = await duplicate(id);
    expect(await (await client.get(copy.location)).text()).to.include('Copied without its design');
    expect((await api(`/qrcodes/${copy.id}/design`)).body.updatedAt).to.equal(null);
  });
});
