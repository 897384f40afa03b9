import { handleRequests, signalReady } from '../../runtime/inside-thread.ts';
import { lowerThreadPriority } from '../../runtime/thread-cpu.ts';
import { drawPage, type PageRequest } from './page-content.ts';

lowerThreadPriority();

signalReady();

handleRequests<PageRequest>(async (request) => {
  const page = await drawPage(request);
  // A copy: a Buffer may share its memory with others.
  return { ...page, content: new Uint8Array(page.content) };
});
