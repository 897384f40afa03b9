import { closeShared } from './end-of-run.ts';
import { fuzzSeed } from './fuzz-seed.ts';
import { addFileCost } from './processor-time.ts';
import { ensureBuilt } from './programs.ts';
import { hasServers } from './servers.ts';

let stopServers = async (): Promise<void> => undefined;

/** Before the first test, in mocha's main process. */
export async function mochaGlobalSetup(): Promise<void> {
  if (process.env['FUZZ_SEED']) {
    console.log(`Random tests start from FUZZ_SEED=${fuzzSeed}`);
    // The same in every worker.
    process.env['FUZZ_SEED'] = String(fuzzSeed);
  }
  // Everything is built by then.
  process.env['THREADS_FROM_BUILD'] = 'true';
  // `npm test` has built, and started servers for several runs of mocha.
  if (hasServers()) return;
  await ensureBuilt();
  // Most of the service's modules: with `npm test`, the main process of mocha does not need them.
  const { startServers } = await import('./start-servers.ts');
  const { stop } = await startServers();
  stopServers = stop;
}

export async function mochaGlobalTeardown(): Promise<void> {
  await stopServers();
}

/** In a worker, mocha calls this after each file, and ends the process after its last one. */
export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    if (process.env['MOCHA_WORKER_ID']) addFileCost(this.test?.parent?.suites[0]?.file);
    else await closeShared();
  },
};
