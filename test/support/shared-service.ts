import { closeAtEndOfRun } from './end-of-run.ts';
import { startService, type TestService } from './service.ts';

let started: Promise<TestService> | undefined;

/**
 * One service for all files that want nothing of their own from it, because starting one takes longer than most tests.
 * Each test makes users of its own, and no file sets its clock or counts all rows of a table.
 */
export function sharedService(): Promise<TestService> {
  started ??= start();
  return started;
}

async function start(): Promise<TestService> {
  const service = await startService();
  closeAtEndOfRun(service.stop);
  return service;
}
