import { type Redis, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/** Private members of ioredis' class. */
interface Internals {
  failoverDetector: { cleanup(): void } | null;
  connectToSentinel(...args: unknown[]): Redis;
}

/** ioredis' connector, without two defects. */
export class ReliableSentinelConnector extends SentinelConnector {
  private readonly internals = this as unknown as Internals;

  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
    const connectToSentinel = this.internals.connectToSentinel.bind(this);
    // Errors of a client without a listener go to stderr, and the one that waits for announcements has none.
    this.internals.connectToSentinel = (...args) => connectToSentinel(...args).on('error', () => undefined);
  }

  /**
   * Ignores announcements of a new primary from now on. They are meant for the previous connection; while a sentinel is
   * asked for the primary, one would close the client permanently.
   */
  override connect(
    ...args: Parameters<SentinelConnector['connect']>
  ): ReturnType<SentinelConnector['connect']> {
    this.internals.failoverDetector?.cleanup();
    return super.connect(...args);
  }
}
