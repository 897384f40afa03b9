import { constants, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { handleRequests, signalReady } from '../runtime/inside-thread.ts';
import type { HashCost } from './hash-cost.ts';
import { hashPassword, verifyPassword } from './password-hash.ts';

// A redirect must not wait for a sign-in. On Linux this sets the priority of the calling thread, elsewhere of the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

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
    case 'isCommon': {
      // Loaded when first needed: its dictionary takes 25 MB, and a sign-in does without.
      const { isCommonPassword } = await import('./password-strength.ts');
      return isCommonPassword(request.password, request.email);
    }
  }
});
