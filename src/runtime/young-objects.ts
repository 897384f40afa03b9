import { setFlagsFromString } from 'node:v8';

/**
 * V8 notes which code allocates objects that outlive a minor collection, and then puts all objects of that code directly into
 * the old generation. What requests allocate is short-lived, but under load V8 put most of it there, and major
 * collections, with pauses of tens of milliseconds, came every few seconds.
 */
export function keepObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
