import type { QueueDefinition } from '../src/queue/queue-definition.ts';
import type { JobHandler } from '../src/queue/queue-worker.ts';
import type { queues } from '../src/queue/queues.ts';
import { createDestinationHandler, type DestinationHandlerOptions } from './destination-handler.ts';
import { createExportHandler, type ExportHandlerOptions } from './export-handler.ts';
import { createHousekeepingHandler, type HousekeepingOptions } from './housekeeping-handler.ts';
import { createMailHandler, type MailHandlerOptions } from './mail-handler.ts';
import { createNoticeHandler, type NoticeHandlerOptions } from './notice-handler.ts';
import { createPartitionHandler, type PartitionHandlerOptions } from './partition-handler.ts';
import { createPurgeHandler, type PurgeHandlerOptions } from './purge-handler.ts';
import { createScanHandler, type ScanHandlerOptions } from './scan-handler.ts';
import { createStyleHandler, type StyleHandlerOptions } from './style-handler.ts';
import { createWebhookHandler, type WebhookHandlerOptions } from './webhook-handler.ts';

type Queues = typeof queues;
type DataOf<Definition> = Definition extends QueueDefinition<infer Data> ? Data : never;
type Handlers = { [Name in keyof Queues]: JobHandler<DataOf<Queues[Name]>> };

/** What the handlers need, opened in worker-service.ts. */
export type HandlerResources = ScanHandlerOptions &
  PartitionHandlerOptions &
  PurgeHandlerOptions &
  HousekeepingOptions &
  WebhookHandlerOptions &
  MailHandlerOptions &
  ExportHandlerOptions &
  NoticeHandlerOptions &
  DestinationHandlerOptions &
  StyleHandlerOptions;

/** A handler for each queue: a queue without one is a type error. */
export function createHandlers(resources: HandlerResources): Handlers {
  return {
    scans: createScanHandler(resources),
    purge: createPurgeHandler(resources),
    partitions: createPartitionHandler(resources),
    housekeeping: createHousekeepingHandler(resources),
    webhooks: createWebhookHandler(resources),
    mail: createMailHandler(resources),
    exports: createExportHandler(resources),
    notices: createNoticeHandler(resources),
    destinations: createDestinationHandler(resources),
    styles: createStyleHandler(resources),
  };
}
