import { constants, setPriority } from 'node:os';
import { handleRequests, signalReady } from '../../runtime/inside-thread.ts';
import { drawPage, type PageRequest } from './page-content.ts';

// A redirect must not wait for a page. On Linux this sets the priority of the calling thread, elsewhere of the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

signalReady();

handleRequests<PageRequest>(async (request) => {
  const page = await drawPage(request);
  // A copy: a Buffer may share its memory with others.
  return { ...page, content: new Uint8Array(page.content) };
});
