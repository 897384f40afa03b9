import { expect } from 'chai';
import { createLog } from '../../src/telemetry/log.ts';
import { openThread, type Thread } from '../../src/runtime/thread.ts';
import { eventually } from '../support/eventually.ts';
import { ensureBuilt } from '../support/programs.ts';

type Question = { ask: 'echo'; text: string } | { ask: 'hang' } | { ask: 'never' };

const side = new URL('../../dist/src/runtime/inside-thread.js', import.meta.url).href;
const script = `import { handleRequests, emitEvent } from ${JSON.stringify(side)};
emitEvent('ready');
handleRequests(async (question) => {
  if (question.ask === 'hang') for (;;);
  if (question.ask === 'never') return new Promise(() => {});
  return question.text;
});`;

describe('A thread', () => {
  let thread: Thread<Question>;
  let lines: string[];
  let starts: number;

  before(ensureBuilt);
  afterEach(() => thread.end());

  async function open(limits: { callLimitMs?: number; hangLimitMs?: number }): Promise<void> {
    lines = [];
    starts = 0;
    thread = await openThread<Question, string>({
      file: new URL(`data:text/javascript,${encodeURIComponent(script)}`),
      data: undefined,
      onEvent: () => (starts += 1),
      name: 'test',
      log: createLog('test', 'warn', { write: (line) => lines.push(line) }),
      ...limits,
    });
  }

  const failure = (asked: Promise<unknown>) =>
    asked.then(
      () => 'answered',
      (error: unknown) => (error as Error).message,
    );

  it('that hangs in a loop is replaced, and whoever waits for it is told', async () => {
    await open({ callLimitMs: 60_000, hangLimitMs: 1_000 });
    const [hung, behind] = [thread.call({ ask: 'hang' }), thread.call({ ask: 'echo', text: 'behind' })];
    expect(await Promise.all([failure(hung), failure(behind)])).to.deep.equal([
      'The test thread has ended',
      'The test thread has ended',
    ]);
    await eventually(() => expect(starts).to.equal(2));
    expect(await thread.call({ ask: 'echo', text: 'again' })).to.equal('again');
    expect(lines.join('')).to.contain('the test thread hangs');
  });

  it('gives up a question that is never answered, and stays because it still lives', async () => {
    await open({ callLimitMs: 200, hangLimitMs: 2_000 });
    expect(await failure(thread.call({ ask: 'never' }))).to.equal('The test thread did not answer in time');
    // Longer than a thread that hangs would have lived.
    const startedAt = Date.now();
    await eventually(async () => {
      expect(await thread.call({ ask: 'echo', text: 'still' })).to.equal('still');
      expect(Date.now() - startedAt).to.be.above(4_000);
    });
    expect(starts).to.equal(1);
  });
});
