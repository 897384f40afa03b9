import { expect } from 'chai';
import { createLog } from '../../src/telemetry/log.ts';
import { openThread, type Thread } from '../../src/runtime/thread.ts';
import { eventually } from '../support/eventually.ts';
import { ensureBuilt } from '../support/programs.ts';

type Request = { type: 'echo'; text: string } | { type: 'hang' } | { type: 'never' };

const insideThread = new URL('../../dist/src/runtime/inside-thread.js', import.meta.url).href;
const script = `import { handleRequests, emitEvent } from ${JSON.stringify(insideThread)};
emitEvent('ready');
handleRequests(async (request) => {
  if (request.type === 'hang') for (;;);
  if (request.type === 'never') return new Promise(() => {});
  return request.text;
});`;

describe('A thread', () => {
  let thread: Thread<Request>;
  let lines: string[];
  let starts: number;

  before(ensureBuilt);
  afterEach(() => thread.end());

  async function open(limits: { callTimeoutMs?: number; hangLimitMs?: number }): Promise<void> {
    lines = [];
    starts = 0;
    thread = await openThread<Request, string>({
      file: new URL(`data:text/javascript,${encodeURIComponent(script)}`),
      data: undefined,
      onEvent: () => (starts += 1),
      name: 'test',
      log: createLog('test', 'warn', { write: (line) => lines.push(line) }),
      ...limits,
    });
  }

  const failure = (call: Promise<unknown>) =>
    call.then(
      () => 'resolved',
      (error: unknown) => (error as Error).message,
    );

  it('that hangs in a loop is replaced, and its pending calls are rejected', async () => {
    await open({ callTimeoutMs: 60_000, hangLimitMs: 1_000 });
    const [hung, behind] = [thread.call({ type: 'hang' }), thread.call({ type: 'echo', text: 'behind' })];
    expect(await Promise.all([failure(hung), failure(behind)])).to.deep.equal([
      'The test thread has exited',
      'The test thread has exited',
    ]);
    await eventually(() => expect(starts).to.equal(2));
    expect(await thread.call({ type: 'echo', text: 'again' })).to.equal('again');
    expect(lines.join('')).to.contain('the test thread hangs');
  });

  it('rejects a call that gets no response in time, and keeps a thread that still responds to pings', async () => {
    await open({ callTimeoutMs: 200, hangLimitMs: 2_000 });
    expect(await failure(thread.call({ type: 'never' }))).to.equal('The test thread did not respond in time');
    // Longer than the hang limit.
    const startedAt = Date.now();
    await eventually(async () => {
      expect(await thread.call({ type: 'echo', text: 'still' })).to.equal('still');
      expect(Date.now() - startedAt).to.be.above(4_000);
    });
    expect(starts).to.equal(1);
  });
});
