import { expect } from 'chai';
import { forwardedRequestId, forwardedTrace } from '../../src/http/client-address.ts';
import { formatTraceparent, parseTraceparent } from '../../src/http/trace-context.ts';
import { createSampler, maxForcedPerSecond } from '../../src/telemetry/tracing-sdk.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const valid = `00-${traceId}-${spanId}-01`;

describe('traceparent', () => {
  it('is read as W3C Trace Context describes it, and written the same', () => {
    const context = parseTraceparent(valid);
    expect(context).to.deep.equal({ traceId, spanId, isSampled: true });
    expect(context && formatTraceparent(context)).to.equal(valid);
    expect(parseTraceparent(`00-${traceId}-${spanId}-00`)?.isSampled).to.equal(false);
    expect(parseTraceparent(`00-${traceId}-${spanId}-03`)?.isSampled).to.equal(true);
  });

  it('of a later version may have more fields', () => {
    expect(parseTraceparent(`cc-${traceId}-${spanId}-01-what-the-future-holds`)).to.deep.include({ traceId });
  });

  it('is ignored if it is malformed', () => {
    const malformed = [
      '',
      'x'.repeat(10_000),
      `${valid}-more`,
      `${valid} `,
      valid.toUpperCase(),
      valid.replaceAll('-', '_'),
      `ff-${traceId}-${spanId}-01`,
      `cc-${traceId}-${spanId}-01more`,
      `cc-${traceId}-${spanId}-01-${'x'.repeat(1_000)}`,
      `00-${'0'.repeat(32)}-${spanId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
    ];
    for (const text of malformed) expect(parseTraceparent(text), text.slice(0, 80)).to.equal(undefined);
  });

  it('is found among raw headers in any case, and ignored if there are two', () => {
    expect(forwardedTrace(['Host', 'qr.test', 'Traceparent', valid])).to.deep.include({ traceId });
    expect(forwardedTrace(['Sec-Purpose', 'prefetch'])).to.equal(undefined);
    expect(forwardedTrace(['traceparent', valid, 'traceparent', valid])).to.equal(undefined);
  });
});

describe('An X-Request-Id of a proxy', () => {
  it('is accepted in the forms that proxies use', () => {
    const ids = [
      'b3b7e1d8-7a0e-4d2c-9f55-0c1f7f0b6d3e',
      'a'.repeat(32),
      '01J0Z8Q7X9N4E5R6T7Y8U9I0P1',
      '7d1f0c6b9e8a4f2d-AMS',
    ];
    for (const id of ids) expect(forwardedRequestId(id)).to.equal(id);
  });

  it('is ignored if it is short, long, repeated, or could be something that no log may have', () => {
    const others = [
      undefined,
      '',
      'short',
      'a'.repeat(201),
      'a'.repeat(32) + '\n',
      ['a'.repeat(32), 'b'.repeat(32)],
      `${'a'.repeat(32)}, ${'b'.repeat(32)}`,
      `qrl_abcdefgh_${'x'.repeat(38)}`,
      'someone.with.a.name@example.com',
      '2001:0db8:0000:0000:0000:0000:0000:0001',
      '/codes?token=aaaaaaaaaaaaaaaaaaaa',
    ];
    for (const id of others) expect(forwardedRequestId(id), String(id)).to.equal(undefined);
  });
});

describe('The sampler', () => {
  const parent = (isSampled: boolean) => ({ traceId, spanId, isSampled });

  it('samples the given share of what has no caller', () => {
    const isSampled = createSampler({ ratio: 0.25, isParentBased: true });
    const sampled = Array.from({ length: 20_000 }, () => isSampled()).filter(Boolean).length;
    expect(sampled / 20_000).to.be.closeTo(0.25, 0.03);
    const never = createSampler({ ratio: 0, isParentBased: true });
    expect(Array.from({ length: 1_000 }, () => never())).to.not.include(true);
    const always = createSampler({ ratio: 1, isParentBased: false });
    expect(Array.from({ length: 1_000 }, () => always())).to.not.include(false);
  });

  it('follows the caller if it is parent-based', () => {
    const isSampled = createSampler({ ratio: 0, isParentBased: true });
    expect([isSampled(parent(true)), isSampled(parent(false))]).to.deep.equal([true, false]);
    const all = createSampler({ ratio: 1, isParentBased: true });
    expect(all(parent(false))).to.equal(false);
  });

  it('decides by the id of the trace if it is not', () => {
    const isSampled = createSampler({ ratio: 0.5, isParentBased: false });
    expect(isSampled({ ...parent(false), traceId: `${'a'.repeat(24)}00000001` })).to.equal(true);
    expect(isSampled({ ...parent(true), traceId: `${'a'.repeat(24)}ffffffff` })).to.equal(false);
  });

  it('lets callers force only so many traces in a second', () => {
    let now = 0;
    const isSampled = createSampler({ ratio: 0, isParentBased: true }, () => now);
    const forced = () => Array.from({ length: 1_000 }, () => isSampled(parent(true))).filter(Boolean).length;
    expect(forced()).to.equal(maxForcedPerSecond);
    now += 999;
    expect(forced()).to.equal(0);
    now += 1;
    expect(forced()).to.equal(maxForcedPerSecond);
  });
});
