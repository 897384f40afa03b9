import { closeAtEndOfRun } from './end-of-run.ts';
import { startService, type TestService } from './service.ts';
import { quickImages } from './shared-threads.ts';

let started: Promise<TestService> | undefined;
let proving: Promise<TestService> | undefined;

/**
 * One service for all files that want nothing of their own from it, because starting one takes longer than most tests.
 * Each test makes users of its own, and no file sets its clock or counts all rows of a table. It takes every design for
 * readable, and decodes uploads in this process.
 */
export function sharedService(): Promise<TestService> {
  started ??= start(quickImages);
  return started;
}

/** The same for tests of proofs and of hostile uploads: with the process and the threads of production. */
export function provingService(): Promise<TestService> {
  proving ??= start();
  return proving;
}

async function start(options: Parameters<typeof startService>[0] = {}): Promise<TestService> {
  const service = await startService(options);
  closeAtEndOfRun(service.stop);
  return service;
}
