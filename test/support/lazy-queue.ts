import { openQueueClient, type QueueClient } from '../../src/queue/queue-client.ts';

/** Most tests never use the queue, and connecting to it takes longer than starting the rest of a service. */
export const openQueueLazily: typeof openQueueClient = (...parts) => {
  let opened: QueueClient | undefined;
  function open(): QueueClient {
    opened ??= openQueueClient(...parts);
    return opened;
  }
  return {
    isReady: () => opened?.isReady() ?? true,
    add: async (queue, data) => open().add(queue, data),
    // The service checks it once a second.
    checkWrites: async () => opened?.checkWrites(),
    pending: async (queue) => open().pending(queue),
    depths: async () => open().depths(),
    journalState: () => opened?.journalState(),
    close: async () => opened?.close(),
  };
};
