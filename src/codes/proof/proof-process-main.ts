import { handleRequests, signalReady } from '../../runtime/inside-thread.ts';
import type { Picture } from '../image/draw.ts';
import { prove } from './prove.ts';

export interface ProofRequest {
  picture: Picture;
}

signalReady();

let last: Promise<unknown> = Promise.resolve();

handleRequests<ProofRequest>(({ picture }) => {
  // One at a time: in parallel, each would hold its images, and all would finish late.
  const proof = last.then(() => prove(picture));
  last = proof.catch(() => undefined);
  return proof;
});
