import type { PasswordHasher } from '../accounts/password-hasher.ts';
import type { ServiceSecrets } from '../accounts/secrets.ts';
import type { Images } from '../codes/image/image-thread.ts';
import type { ImageDecoder } from '../codes/files/image-decoder.ts';
import type { Logos } from '../codes/design/stored-logo.ts';
import type { Printer } from '../codes/print/print-codes.ts';
import type { Proofs } from '../codes/proof/proofs.ts';
import type { PreviewShare } from '../codes/share-page.ts';
import type { Config } from '../config.ts';
import { type AddressPolicy, createAddressPolicy } from '../net/address-policy.ts';
import { type OpenIdProvider, createOpenIdProvider } from '../net/openid-provider.ts';
import type { ExportJob } from '../queue/queues.ts';
import type { MailRequest } from '../queue/mail-queue.ts';
import type { QueueAccess } from '../queue/queue-access.ts';
import type { QueueDepth } from '../queue/queue-depth.ts';
import { type FairScheduler, createFairScheduler } from '../runtime/fair-scheduler.ts';
import type { GeoSource } from '../scans/geo-source.ts';
import type { Database } from '../store/database.ts';
import type { Reads } from '../store/reads.ts';
import type { Log } from '../telemetry/log.ts';
import type { ReadMetrics } from '../telemetry/metrics-server.ts';
import type { Tracing } from '../telemetry/tracing-sdk.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import { type SecretBox, createSecretBox } from '../webhooks/signing.ts';
import { type AccessWatch, createAccessWatch } from './access-watch.ts';
import { type Downloads, createDownloads } from './downloads.ts';
import { type Demo, createDemo } from './demo/demo.ts';
import { type Sessions, createSessions } from './middleware/session.ts';
import type { HealthParts } from './operations/monitoring-routes.ts';
import { type Prints, createPrints } from './prints.ts';

/** Everything that middleware, pages and the API use, created once per web process. */
export interface Services {
  config: Config;
  db: Database;
  /** For lists, scans and their counters: a replica may serve them. */
  reads: Reads;
  secrets: ServiceSecrets;
  sessions: Sessions;
  /** Undefined without a demo. */
  demo: Demo | undefined;
  passwords: PasswordHasher;
  /** Undefined without OIDC_ISSUER. */
  openId: OpenIdProvider | undefined;
  images: Images;
  prints: Prints;
  proofs: Proofs;
  imageDecoder: ImageDecoder;
  logos: Logos;
  geoSource: GeoSource | undefined;
  webhooks: {
    box: SecretBox;
    /** The addresses that an endpoint may have. */
    policy: AddressPolicy;
  };
  /** Bounds how many large bodies are received at the same time. */
  uploads: FairScheduler;
  downloads: Downloads;
  /** Ends streams of people who have lost access. Downloads ask it themselves. */
  access: AccessWatch;
  /** Must be called after a code was changed or deleted, so that its share link shows it at once. */
  codeChanged(shareToken: string): void;
  previewShare: PreviewShare;
  /** The queues as operators see them. */
  queues: { depths(): Promise<QueueDepth[]>; access: QueueAccess };
  /** Queues a mail. Undefined without SMTP_URL: pages then say whom to ask. */
  sendMail: ((request: MailRequest) => Promise<void>) | undefined;
  /** Queues the export of an account. */
  buildExport(job: ExportJob): Promise<void>;
  /** To be called after a change: workers call webhook endpoints, apply styles and purge soon. */
  wakeWorkers(): void;
  health: HealthParts;
  metrics: WebMetrics;
  readMetrics: ReadMetrics;
  /** Undefined: no traces are exported. */
  tracing: Tracing | undefined;
  log: Log;
  /** Aborted when the process shuts down, to end responses that would stay open. */
  closing: AbortSignal;
  now: () => Date;
}

type Built = 'sessions' | 'openId' | 'demo' | 'prints' | 'webhooks' | 'uploads' | 'downloads' | 'access';

/** Adds to what the process has opened what only pages and the API use. */
export function createServices(opened: Omit<Services, Built> & { printer: Printer }): Services {
  const { config, db, secrets, images, printer, now } = opened;
  const access = createAccessWatch(db);
  const downloads = createDownloads(access.watch);
  return {
    ...opened,
    downloads,
    access,
    sessions: createSessions({ db, secrets, isSecure: config.baseUrl.startsWith('https:'), now }),
    openId:
      config.openId &&
      createOpenIdProvider(config.openId, {
        callbackUrl: `${config.baseUrl}/signin/oidc/callback`,
        nowMs: () => now().getTime(),
      }),
    demo: config.hasDemo ? createDemo({ db, config, now }) : undefined,
    prints: createPrints({ db, printer, images, downloads, baseUrl: config.baseUrl, now }),
    webhooks: {
      box: createSecretBox(secrets.webhookKeys),
      policy: createAddressPolicy(config.webhooks.networks),
    },
    // For the API and the pages together: up to 80 MB of bodies.
    uploads: createFairScheduler({
      slots: 8,
      slotsPerKey: 2,
      reservedSlots: 4,
      waitingPerKey: 20,
      waiting: 200,
      maxWaitMs: 10_000,
      message: 'Too many large requests are being processed. Try again shortly.',
    }),
  };
}
