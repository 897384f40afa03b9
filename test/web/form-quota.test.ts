import { expect } from 'chai';
import { changeLimits } from '../../src/accounts/account-limits.ts';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { pdf } from '../codes/files/pdf-file.ts';
import { png } from '../codes/files/logo-files.ts';
import { apiClient } from '../support/api-client.ts';
import { type FormClient, signedIn } from '../support/form-client.ts';
import { mainText } from '../support/operator.ts';
import type { TestService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { createCode } from '../support/share.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

const look = { foregroundColor: '#000000', backgroundColor: '#ffffff', size: '512', errorCorrection: 'M' };
const fields = { ...look, type: 'text', name: 'A note', content: 'typed with care' };
const design = {
  moduleShape: 'dots',
  eyeFrameShape: 'square',
  eyeBallShape: 'square',
  gradientShape: 'linear',
  gradientAngle: '0',
  quietZone: '4',
  frame: 'band',
  frameText: 'Typed as well',
  logoSize: '20',
};
const refusal =
  /Your account has used up its \d+ saves, uploads and prints per hour\. Send this again in \d+ minutes/;

describe('Forms that cost as much as a request of the API', () => {
  let service: TestService;
  let accounts = 0;
  before(async () => {
    service = await sharedService();
  });

  interface Owner {
    pages: FormClient;
    codeId: string;
    styleId: string;
    use(): Promise<{ forms: number; codes: number }>;
    /** From now on, so many forms of the hour are left. */
    leave(forms: number): Promise<void>;
    upload(path: string, field: string, file: Buffer, accept?: string): Promise<Response>;
  }

  async function owner(): Promise<Owner> {
    const email = `forms-${(accounts += 1)}@example.com`;
    const api = apiClient(service.url, await service.makeKey({ email, plan: 'free' }));
    const { id: codeId } = await createCode(api, {
      type: 'vcard',
      content: 'BEGIN:VCARD\nFN:Ann\nEND:VCARD',
    });
    const { id: userId } = await findUserByEmail(service.db, email);
    const style = await api('/styles', { method: 'POST', body: { name: 'Ours' } });
    const pages = await signedIn(service, email);
    const page = await (await pages.get('/codes/new')).text();
    const csrfToken = /name="csrfToken" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const use = async () => (await api('/account')).body.use as { forms: number; codes: number };
    return {
      pages,
      codeId,
      styleId: style.body.id as string,
      use,
      async leave(forms) {
        const formsPerHour = (await use()).forms + forms;
        await changeLimits(
          service.db,
          { workspaceId: ownWorkspaceId({ id: userId }), operatorId: undefined },
          { formsPerHour },
          new Date(),
        );
      },
      async upload(path, field, file, accept = 'text/html') {
        const form = new FormData();
        form.set('csrfToken', csrfToken);
        form.set('name', 'The menu');
        form.set('alt', 'Our logo');
        form.set(field, new Blob([new Uint8Array(file)]), 'upload');
        const Cookie = [...pages.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const headers = { Cookie, Accept: accept };
        return fetch(service.url + path, { method: 'POST', body: form, redirect: 'manual', headers });
      },
    };
  }

  /** By its name: what it sends, and what of it the page still has where it is refused. */
  const expensive: Record<string, { send: (by: Owner) => Promise<Response>; keeps?: string }> = {
    'a new code': { send: ({ pages }) => pages.post('/codes/new', fields), keeps: 'typed with care' },
    'a copy': { send: ({ pages, codeId }) => pages.post(`/codes/${codeId}/duplicate`, {}) },
    'a design': {
      send: ({ pages, codeId }) => pages.post(`/codes/${codeId}/design`, design),
      keeps: 'Typed as well',
    },
    'a new style': {
      send: ({ pages, codeId }) =>
        pages.post(`/codes/${codeId}/design/style`, { ...design, styleName: 'Summer look' }),
      keeps: 'Summer look',
    },
    'the design of a style': {
      send: ({ pages, styleId }) => pages.post(`/codes/styles/${styleId}/design`, design),
      keeps: 'Typed as well',
    },
    'a style for codes': {
      send: ({ pages, codeId, styleId }) => pages.post('/codes/styles/apply', { codeIds: codeId, styleId }),
      keeps: ' checked',
    },
    'a code with a file': {
      send: ({ upload }) => upload('/codes/new/file', 'file', pdf()),
      keeps: 'The menu',
    },
    'a photo': { send: ({ upload, codeId }) => upload(`/codes/${codeId}/photo`, 'photo', png()) },
    'a logo of the share page': {
      send: ({ upload, codeId }) => upload(`/codes/${codeId}/page-logo`, 'logo', png()),
      keeps: 'Our logo',
    },
    labels: {
      send: ({ pages, codeId }) => pages.get(`/codes/labels.pdf?code=${codeId}&sheet=L7160&start=3`),
      keeps: 'value="3"',
    },
    'an archive': { send: ({ pages, codeId }) => pages.get(`/codes/files.zip?code=${codeId}&format=svg`) },
  };

  for (const [name, { send, keeps = '' }] of Object.entries(expensive))
    it(`are refused when none is left, with the input and the time: ${name}`, async () => {
      const by = await owner();
      await by.leave(1);
      const [refused, made] = (await Promise.all([send(by), send(by)])).toSorted(
        (a, b) => b.status - a.status,
      );
      if (!refused || !made) return expect.fail();
      expect(made.status).to.be.oneOf([200, 303]);
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers.get('Retry-After'))).to.be.within(3_500, 3_600);
      expect(await refused.clone().text()).to.contain(keeps);
      expect(await mainText(refused)).to.match(refusal);
    });

  it('are answered in JSON to scripts', async () => {
    const by = await owner();
    await by.leave(1);
    await by.pages.post('/codes/new', fields);
    const path = `/codes/files.zip?code=${by.codeId}&format=svg`;
    const archive = await by.pages.get(path, { Accept: 'application/zip, application/json' });
    const upload = await by.upload('/codes/new/file', 'file', pdf(), 'application/json');
    for (const answer of [archive, upload]) {
      expect(answer.status).to.equal(429);
      expect(await answer.json()).to.include({ error: 'rate_limited', code: 'quota_exceeded' });
    }
  });

  it('do not count while they are only checked, are invalid, or cost little', async () => {
    const { pages, codeId, use } = await owner();
    await pages.post('/codes/new?check', fields);
    expect((await pages.post('/codes/new', { ...fields, name: '' })).status).to.equal(400);
    const edit = { ...look, ...fields, foregroundColor: '#1a1410', lastDay: '2099-12-31' };
    expect((await pages.post(`/codes/${codeId}/edit`, edit)).status).to.equal(303);
    await pages.post(`/codes/${codeId}/favorite`, { isFavorite: 'true' });
    expect((await use()).forms).to.equal(0);
  });

  it('are enough for somebody who creates 30 codes in an hour by hand, on the Free plan', async () => {
    const { pages, use } = await owner();
    for (let number = 0; number < 30; number += 1)
      expect((await pages.post('/codes/new', fields)).status).to.equal(303);
    expect(await use()).to.include({ forms: 30, codes: 31 });
  });
});
