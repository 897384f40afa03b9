import { constants, setPriority } from 'node:os';
import { handleRequests, signalReady } from '../../runtime/inside-thread.ts';
import type { Picture } from '../image/draw.ts';
import { prove } from './prove.ts';

// A redirect must not wait for a proof. On Linux this sets the priority of the calling thread, elsewhere of the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

export interface ProofRequest {
  picture: Picture;
}

signalReady();

let last: Promise<unknown> = Promise.resolve();

handleRequests<ProofRequest>(({ picture }) => {
  // One after the other: side by side, each would hold its images, and all would end late.
  const proof = last.then(() => prove(picture));
  last = proof.catch(() => undefined);
  return proof;
});
