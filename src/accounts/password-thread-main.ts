import { workerData } from 'node:worker_threads';
import { handleRequests, signalReady } from '../runtime/inside-thread.ts';
import { lowerThreadPriority } from '../runtime/thread-cpu.ts';
import type { HashCost } from './passwords.ts';
import { hashPassword, isCommonPassword, verifyPassword } from './password-hash.ts';

lowerThreadPriority();

export type PasswordRequest =
  | { method: 'hash'; password: string }
  | { method: 'verify'; password: string; passwordHash: string }
  | { method: 'isCommon'; password: string; email: string };

signalReady();

handleRequests<PasswordRequest>(async (request) => {
  switch (request.method) {
    case 'hash':
      return hashPassword(request.password, workerData as HashCost);
    case 'verify':
      return verifyPassword(request.passwordHash, request.password);
    case 'isCommon':
      return isCommonPassword(request.password, request.email);
  }
});
