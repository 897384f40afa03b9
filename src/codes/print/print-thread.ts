import { type Caller, createFairScheduler } from '../../runtime/fair-scheduler.ts';
import type { Log } from '../../telemetry/log.ts';
import { openThread, type Thread } from '../../runtime/thread.ts';
import type { PageRequest } from './page-content.ts';
import type { PdfPage } from './pdf-writer.ts';

export interface Printer {
  /** Rejects where too many wait, or where the thread has ended. */
  drawPage(caller: Caller, request: PageRequest): Promise<PdfPage>;
  close(): Promise<void>;
}

/** A page in the middle of a file that was begun must not be refused too early. */
const maxWaitMs = 120_000;

/** Draws pages in a separate thread, started by the first page: most processes never print. Callers take turns. */
export function createPrinter(log: Log): Printer {
  const turns = createFairScheduler({ slots: 2, waitingPerKey: 20, waiting: 400, maxWaitMs });
  let opening: Promise<Thread<PageRequest>> | undefined;

  async function open(): Promise<Thread<PageRequest>> {
    const file = new URL('print-thread-main.js', import.meta.url);
    opening ??= openThread<PageRequest>({ file, data: undefined, name: 'print', log });
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  }

  return {
    drawPage: (caller, request) =>
      turns.run(caller, async () => (await (await open()).call(request)) as PdfPage),
    close: async () => (await opening)?.end(),
  };
}
