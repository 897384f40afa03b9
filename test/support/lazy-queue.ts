import { openQueueThread, type QueueThread } from '../../src/queue/queue-thread.ts';

/** Most tests never use the queue, and its thread takes longer to start than all the rest of a service. */
export const openQueueLazily: typeof openQueueThread = async (...parts) => {
  let thread: QueueThread | undefined;
  let opening: Promise<QueueThread> | undefined;
  async function open(): Promise<QueueThread> {
    opening ??= openQueueThread(...parts);
    thread = await opening;
    return thread;
  }
  return {
    isReady: () => thread?.isReady() ?? true,
    enqueue: async (scans) => (await open()).enqueue(scans),
    add: async (queue, data) => (await open()).add(queue, data),
    checkWrites: async () => (await open()).checkWrites(),
    pending: async (queue) => (await open()).pending(queue),
    depths: async () => (await open()).depths(),
    journalState: async () => thread?.journalState(),
    close: async () => (await opening)?.close(),
  };
};
