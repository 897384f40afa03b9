import { constants, setPriority } from 'node:os';
import { handleRequests, emitEvent } from '../runtime/inside-thread.ts';
import { hashPassword, verifyPassword } from './password-hash.ts';

// A sign-in can wait, a redirect cannot. Linux takes this for the calling thread alone; elsewhere it would be the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export interface PasswordQuestion {
  password: string;
  /** Given: whether the password matches it. Absent: a hash of the password is wanted. */
  passwordHash?: string;
}

emitEvent('ready');

handleRequests<PasswordQuestion>(async ({ password, passwordHash }) =>
  passwordHash === undefined ? hashPassword(password) : verifyPassword(passwordHash, password),
);
