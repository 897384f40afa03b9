import { expect } from 'chai';
import * as fc from 'fast-check';
import { createScanPolicy } from '../../src/redirect/scan-policy.ts';
import { createDefaults } from '../../src/codes/code-rules.ts';
import { type ApiClient, expectDocumented } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { expectWindow } from '../support/expect-error.ts';
import { ownerClient } from '../support/owner-client.ts';
import { sendRaw } from '../support/raw-request.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, iPhoneSafari, type SharedCode } from '../support/share.ts';
import {
  anyCreateBody,
  anyForwardedFor,
  anyHeader,
  anyPatchBody,
  anyPath,
  anyQuery,
  anyUserAgent,
  soundCreateBody,
  soundPatchBody,
  tidy,
} from './arbitraries.ts';
import { expectNoInternalDetails } from './no-internal-details.ts';

const properties: { title: string; check: (runs: number) => Promise<void> }[] = [];

/** Tried first, one per outcome: a property that only sees rejections proves nothing. */
type Examples<Given, Outcome> = [given: Given, outcome: Outcome][];

function property<Given, Outcome>(
  title: string,
  given: fc.Arbitrary<Given>,
  holds: (value: Given) => Promise<Outcome>,
  examples: Examples<Given, Outcome> = [],
): void {
  properties.push({
    title,
    async check(runs) {
      for (const [value, outcome] of examples) expect(await holds(value)).to.deep.equal(outcome);
      await fc.assert(
        fc.asyncProperty(given, async (value) => void (await holds(value))),
        { numRuns: runs },
      );
    },
  });
}

let service: TestService;
let api: ApiClient;
let code: SharedCode;
/** A text code, changed by valid bodies only. */
let changing: SharedCode;
let lastChanged: object | undefined;
/** Scanned by these tests only. */
let scanned: SharedCode;
let scans = 0;
const isScan = createScanPolicy();

/** Labels normalized as in storage; everything else unchanged. */
function stored(body: { name?: string; category?: string | null }): object {
  const { name, category } = body;
  return {
    ...body,
    ...(name !== undefined && { name: tidy(name) }),
    ...(typeof category === 'string' && { category: tidy(category) }),
  };
}

property<unknown, number>(
  'any body to create from is a 201 or a 400',
  anyCreateBody,
  async (body) => {
    const { status, body: answer } = await api('/qrcodes', { method: 'POST', raw: JSON.stringify(body) });
    expect(status).to.be.oneOf([201, 400]);
    if (status === 400) expect(answer.details).to.be.an('array').and.not.have.length(0);
    expectNoInternalDetails(JSON.stringify(answer));
    return status;
  },
  [
    [{ name: 'Menu', content: 'https://example.com/' }, 201],
    [{ name: '' }, 400],
  ],
);

property('a sound body is created from, and reads back as it was sent', soundCreateBody, async (body) => {
  const made = await api('/qrcodes', { method: 'POST', body });
  expect(made.status, JSON.stringify(made.body)).to.equal(201);
  const { isPublic: _, ...shown } = createDefaults;
  expect(made.body).to.include({ ...shown, ...stored(body) });
  expect((await api(`/qrcodes/${made.body.id}`)).body).to.include(made.body);
});

property<unknown, number>(
  'any body to change with is a 200 or a 400',
  anyPatchBody,
  async (body) => {
    const { status, body: answer } = await api(`/qrcodes/${code.id}`, {
      method: 'PATCH',
      raw: JSON.stringify(body),
    });
    expect(status).to.be.oneOf([200, 400]);
    expectNoInternalDetails(JSON.stringify(answer));
    return status;
  },
  [
    [{ name: 'Menu' }, 200],
    [{ name: '' }, 400],
  ],
);

property('a sound body changes what it names and nothing else', soundPatchBody, async (body) => {
  const path = `/qrcodes/${changing.id}`;
  const { body: before } = await api(path);
  const { status, body: changed } = await api(path, { method: 'PATCH', body });
  expect(status, JSON.stringify(changed)).to.equal(200);
  const { updatedAt } = changed;
  // Read back before the next change.
  expect(changed).to.deep.equal({ ...before, ...stored(body), updatedAt });
  expect(before).to.deep.equal(lastChanged ?? before);
  lastChanged = changed;
});

for (const path of ['/qrcodes', '/qrcodes/:id/scans', '/qrcodes/:id/analytics'] as const) {
  property(
    `any query of ${path} is a 200 or a 400`,
    anyQuery,
    async (query) => {
      const { status, body } = await api(`${path.replace(':id', code.id)}?${query}`);
      expect(status).to.be.oneOf([200, 400]);
      expectNoInternalDetails(JSON.stringify(body));
      return status;
    },
    [
      ['', 200],
      ['limit=0&days=0', 400],
    ],
  );
}

property('any id is a 404, unless it is one', fc.oneof(fc.uuid(), anyPath), async (id) => {
  const [path = '', query] = encodeURI(id.replaceAll('%', '%25').replaceAll('\\', '/')).split('?');
  fc.pre(!/^\.{0,2}$|\//.test(path) && query === undefined);
  expect((await api(`/qrcodes/${path}`)).status).to.equal(404);
});

property(
  'any share address is a 404, unless it is one',
  fc.tuple(fc.constantFrom('', '/', '.', '?', '%', 'x'), anyPath),
  async ([first, rest]) => {
    const statuses: number[] = [];
    for (const [start, isToken] of [
      [scanned.shareToken, true],
      ['', false],
    ] as const) {
      // HEAD, so that nothing is counted.
      const { status } = await sendRaw(service.url, { method: 'HEAD', path: `/r/${start}${first}${rest}` });
      const [behind = ''] = `${first}${rest}`.split('?');
      const isShown = isToken && /^(?:\.svg|\.png)?\/?$/.test(behind);
      expect(status).to.be.oneOf(isShown ? [302, 200, 400] : [404]);
      statuses.push(status);
    }
    return statuses;
  },
  [
    [
      ['', ''],
      [302, 404],
    ],
  ],
);

property(
  'any user agent is led on, and counted unless it is a crawler',
  anyUserAgent,
  async (userAgent) => {
    const path = `/r/${scanned.shareToken}`;
    const { status } = await sendRaw(service.url, { path, headers: [['User-Agent', userAgent]] });
    expect(status).to.equal(302);
    const headers = {
      userAgent: userAgent.replace(/^[\t ]+|[\t ]+$/g, ''),
      forwardedFor: undefined,
      isPrefetch: false,
    };
    const isCounted = isScan('GET', headers) === undefined;
    if (isCounted) scans += 1;
    return isCounted;
  },
  [
    [iPhoneSafari, true],
    ['Twitterbot/1.0', false],
  ],
);

property('any X-Forwarded-For is led on, and counted', anyForwardedFor, async (forwardedFor) => {
  const path = `/r/${scanned.shareToken}`;
  const headers: [string, string][] = [
    ['User-Agent', iPhoneSafari],
    ['X-Forwarded-For', forwardedFor],
  ];
  expect((await sendRaw(service.url, { path, headers })).status).to.equal(302);
  scans += 1;
});

property<[string, string], number>(
  'any key from any address is a 401, or a 429 when the address has asked too often',
  fc.tuple(anyHeader, anyForwardedFor),
  async ([key, forwardedFor]) => {
    const { status, headers, text } = await sendRaw(service.url, {
      path: '/api/v1/qrcodes',
      headers: [
        ['Authorization', key],
        ['X-Forwarded-For', forwardedFor],
      ],
    });
    expect(status).to.be.oneOf([401, 429]);
    expectDocumented('GET', '/qrcodes', { status, headers, body: JSON.parse(text) });
    expectWindow(headers);
    return status;
  },
  [[['Bearer nonsense', '203.0.113.9'], 401]],
);

/** `npm test` tries fewer values than the fault tests. */
export function describeProperties(runs: number): void {
  describe(`Random hostile input (${properties.length} properties, ${runs} runs each)`, () => {
    before(async () => {
      service = await startService({ worker: true, config: { trustProxyHops: 1 } });
      api = ownerClient(service);
      code = await createCode(api);
      changing = await createCode(api, { type: 'text' });
      scanned = await createCode(api);
    });
    after(() => service.stop());

    for (const { title, check } of properties) it(title, () => check(runs));

    it('has exactly the expected scans in the database', async () => {
      const rows = () => service.db('scans').where({ qr_code_id: scanned.id }).count<{ count: number }[]>();
      await eventually(async () => expect(Number((await rows())[0]?.count)).to.equal(scans));
    });
  });
}
