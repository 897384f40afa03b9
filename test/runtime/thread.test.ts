import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { createLog } from '../../src/telemetry/log.ts';
import { openThread, type Thread } from '../../src/runtime/thread.ts';
import { eventually } from '../support/eventually.ts';
import { ensureBuilt } from '../support/programs.ts';
import { type Request, writeThreadScript } from './thread-script.ts';

for (const kind of ['thread', 'process'] as const)
  describe(`Code in a ${kind}`, () => {
    /** A process of low priority takes seconds to start on a busy machine, which counts. */
    const hangLimitMs = kind === 'process' ? 5_000 : 2_000;
    let file: string;
    let thread: Thread<Request>;
    let lines: string[];

    before(async () => {
      await ensureBuilt();
      file = await writeThreadScript();
    });
    afterEach(() => thread.end());

    async function open(limits: { callTimeoutMs?: number; hangLimitMs?: number }): Promise<void> {
      lines = [];
      thread = await openThread<Request>({
        file: pathToFileURL(file),
        inProcess: kind === 'process',
        data: undefined,
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
      await open({ callTimeoutMs: 60_000, hangLimitMs });
      const [hung, behind] = [thread.call({ type: 'hang' }), thread.call({ type: 'echo', text: 'behind' })];
      expect(await Promise.all([failure(hung), failure(behind)])).to.deep.equal([
        `The test ${kind} has exited`,
        `The test ${kind} has exited`,
      ]);
      const again = () => thread.call({ type: 'echo', text: 'again' });
      await eventually(async () => expect(await failure(again())).to.equal('resolved'));
      expect(await again()).to.equal('again');
      expect(lines.join('')).to.contain(`the test ${kind} hangs`);
    });

    it('rejects a call that gets no response in time, and keeps one that still responds to pings', async () => {
      await open({ callTimeoutMs: 200, hangLimitMs });
      expect(await failure(thread.call({ type: 'never' }))).to.equal(
        `The test ${kind} did not respond in time`,
      );
      const startedAt = Date.now();
      await eventually(async () => {
        expect(await thread.call({ type: 'echo', text: 'still' })).to.equal('still');
        expect(Date.now() - startedAt).to.be.above(1.5 * hangLimitMs);
      });
      expect(lines).to.deep.equal([]);
    });
  });
