import type { Log } from '../../telemetry/log.ts';
import { openThread, type Thread } from '../../runtime/thread.ts';
import type { PageRequest } from './page-content.ts';
import type { PdfPage } from './pdf-writer.ts';

export interface Printer {
  /** Rejects where the thread has ended. */
  drawPage(request: PageRequest): Promise<PdfPage>;
  close(): Promise<void>;
}

/** Draws pages in a separate thread, started by the first page: most processes never print. */
export function createPrinter(log: Log): Printer {
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
    drawPage: async (request) => (await (await open()).call(request)) as PdfPage,
    close: async () => (await opening)?.end(),
  };
}
