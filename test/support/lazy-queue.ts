import { openWebQueue, type WebQueue } from '../../src/queue/web-queue.ts';

/** Most tests never use the queue, and connecting to it takes longer than starting the rest of a service. */
export const openQueueLazily: typeof openWebQueue = async (...parts) => {
  let opened: WebQueue | undefined;
  let opening: Promise<WebQueue> | undefined;
  async function open(): Promise<WebQueue> {
    opening ??= openWebQueue(...parts);
    opened = await opening;
    return opened;
  }
  return {
    isReady: () => opened?.isReady() ?? true,
    add: async (queue, data) => (await open()).add(queue, data),
    // The service checks it once a second.
    checkWrites: async () => opened?.checkWrites(),
    pending: async (queue) => (await open()).pending(queue),
    depths: async () => (await open()).depths(),
    journalState: () => opened?.journalState(),
    close: async () => (await opening)?.close(),
  };
};
