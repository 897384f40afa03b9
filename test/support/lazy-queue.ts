import { openQueueThread, type ScanRecorder } from '../../src/queue/queue-thread.ts';

/** Most tests never use the queue, and its thread takes longer to start than all the rest of a service. */
export const openQueueLazily: typeof openQueueThread = async (...parts) => {
  let queue: ScanRecorder | undefined;
  let opening: Promise<ScanRecorder> | undefined;
  async function open(): Promise<ScanRecorder> {
    opening ??= openQueueThread(...parts);
    queue = await opening;
    return queue;
  }
  return {
    isReady: () => queue?.isReady() ?? true,
    record: async (scans) => (await open()).record(scans),
    add: async (job) => (await open()).add(job),
    checkWrites: async () => (await open()).checkWrites(),
    pending: async () => (await open()).pending(),
    depth: async () => (await open()).depth(),
    close: async () => (await opening)?.close(),
  };
};
