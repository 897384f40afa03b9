import { expect } from 'chai';
import { createEndpoint, type Endpoint } from '../../../src/webhooks/endpoints.ts';
import { createSecretBox } from '../../../src/webhooks/signing.ts';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { WorkspaceId } from '../../../src/workspaces/workspace.ts';

const email = 'log-pages@example.com';
const pageSize = 20;

describe('The log of a webhook endpoint', () => {
  let service: TestService;
  let browser: FormClient;
  let endpoint: Endpoint;

  before(async () => {
    service = await sharedService();
    browser = await signedIn(service, email);
    const { id } = await findOrCreateUser(service.db, email, new Date());
    ({ endpoint } = await createEndpoint(
      service.db,
      id as WorkspaceId,
      {
        url: 'https://example.com/hook',
        name: 'Test',
        events: ['code.created'],
        codeIds: null,
        categories: null,
      },
      { box: createSecretBox([Buffer.alloc(32, 1)]), quota: 5, now: new Date() },
    ));
  });

  const read = async (path: string) => {
    const page = await (await browser.get(path)).text();
    return {
      ids: [...page.matchAll(/href="\/webhooks\/deliveries\/([0-9a-f-]{36})"/g)].map(([, id]) => id),
      older: /<a [^>]*href="([^"]+)">Older<\/a>/.exec(page)?.[1]?.replaceAll('&amp;', '&'),
    };
  };

  it('has every delivery once, newest first, on as many pages as it takes, and no link on the last one', async () => {
    const { older: none } = await read(`/webhooks/${endpoint.id}`);
    expect(none).to.equal(undefined);
    const insert = (count: number) =>
      service.db('webhook_deliveries').insert(
        Array.from({ length: count }, () => ({
          endpoint_id: endpoint.id,
          event: 'ping',
          status: 'failed',
        })),
      );
    const listed = async () => {
      const pages: number[] = [];
      const ids: (string | undefined)[] = [];
      for (let path: string | undefined = `/webhooks/${endpoint.id}`; path; ) {
        const page = await read(path);
        pages.push(page.ids.length);
        ids.push(...page.ids);
        path = page.older;
      }
      return { pages, ids };
    };
    await insert(pageSize);
    expect((await listed()).pages).to.deep.equal([pageSize]);
    await insert(pageSize + 3);
    const { pages, ids } = await listed();
    expect(pages).to.deep.equal([pageSize, pageSize, 3]);
    const stored = (await service
      .db('webhook_deliveries')
      .where({ endpoint_id: endpoint.id })
      .orderBy('id', 'desc')
      .select('id')) as { id: string }[];
    expect(ids).to.deep.equal(stored.map(({ id }) => id));
  });
});
