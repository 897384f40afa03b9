import { createHousekeepingHandler } from './housekeeping-handler.js';
import { createLookups } from './lookups.js';
import { createPartitionHandler } from './partition-handler.js';
import { createPurgeHandler } from './purge-handler.js';
import { createScanHandler } from './scan-handler.js';
/** A handler for each queue: a queue without one is a type error. */
export function createHandlers(resources) {
  return {
    scans: createScanHandler({ ...resources, lookups: createLookups() }),
    purge: createPurgeHandler(resources),
    partitions: createPartitionHandler(resources),
    housekeeping: createHousekeepingHandler(resources),
  };
}
//# sourceMappingURL=handlers.js.map
