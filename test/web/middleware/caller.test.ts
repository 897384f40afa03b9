import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import type { Context } from 'koa';
import { deriveSecrets } from '../../../src/accounts/secrets.ts';
import { callerOf } from '../../../src/web/middleware/caller.ts';
import { createViewDemo } from '../../../src/web/middleware/guards.ts';

describe('The turns of the demo', () => {
  const viewDemo = createViewDemo({
    demo: { open: async () => ({ user: { id: 'demo-account' } }) },
    sessions: { wantsDemo: () => true },
    secrets: deriveSecrets(undefined, ['a-root-secret-of-32-characters-or-more']),
    config: { trustProxyHops: 0 },
  } as unknown as Parameters<typeof createViewDemo>[0]);

  async function keyFor(remoteAddress: string): Promise<string> {
    const req = { socket: { remoteAddress, destroyed: false } };
    const ctx = { req, res: new EventEmitter(), state: {}, get: () => '' } as unknown as Context;
    expect(await viewDemo(ctx)).to.equal(true);
    return callerOf(ctx).key;
  }

  it('are by address, because all its visitors have one account', async () => {
    const key = await keyFor('203.0.113.1');
    expect(await keyFor('203.0.113.1')).to.equal(key);
    expect(await keyFor('203.0.113.2')).to.not.equal(key);
    expect(key).to.not.contain('203.0.113').and.to.not.equal('demo-account');
  });
});
