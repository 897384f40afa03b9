import { type DemoAccount, openDemoAccount } from '../../demo/demo-account.ts';
import { AppError } from '../../errors.ts';
import { createTokenBuckets } from '../../runtime/token-buckets.ts';
import type { Config } from '../../config.ts';
import type { Database } from '../../store/database.ts';

/** Pages, pictures and previews of the demo that a client address may open. A designer asks for a preview per change. */
const maxPerHour = 1_200;
const maxAtOnce = 300;
/** The account is looked up this often, and given new scans if it is time. */
const lookUpEveryMs = 60_000;

/** The account that strangers may look at. */
export interface Demo {
  /** `client` is the hash of an address. Undefined if an operator has blocked the account. */
  open(client: string): Promise<DemoAccount | undefined>;
  /** Creates the account in the background, which takes seconds, for whoever may want to see it next. */
  prepare(): void;
}

/** Costs nothing until somebody sees the landing page, or opens the demo: then the account is created. */
export function createDemo({ db, config, now }: { db: Database; config: Config; now: () => Date }): Demo {
  const buckets = createTokenBuckets(maxPerHour, undefined, maxAtOnce);
  let opened: { account: Promise<DemoAccount | undefined>; at: number } | undefined;

  function lookUp(): Promise<DemoAccount | undefined> {
    if (opened && performance.now() - opened.at < lookUpEveryMs) return opened.account;
    const looked = { account: openDemoAccount(db, config, now()), at: performance.now() };
    opened = looked;
    looked.account.catch(() => {
      if (opened === looked) opened = undefined;
    });
    return looked.account;
  }

  return {
    async open(client) {
      const waitMs = buckets.take(client);
      if (waitMs > 0) throw tooMany(waitMs);
      return lookUp();
    },
    // Whoever opens the demo is told what failed.
    prepare: () => void lookUp().catch(() => undefined),
  };
}

function tooMany(waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError(
    'rate_limited',
    `You have opened many pages of the demo. Wait ${seconds === 1 ? 'a second' : `${seconds} seconds`}, or sign up: your own account has no such limit.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
