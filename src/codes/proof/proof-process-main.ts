import { handleRequests, signalReady } from '../../runtime/inside-thread.ts';
import type { Picture } from '../image/draw.ts';
import { prove } from './prove.ts';

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
