import { setFlagsFromString } from 'node:v8';

/**
 * V8 notes which code allocates objects that outlive a minor collection, and then puts all objects of that code directly into
 * the old generation. What requests allocate is short-lived, but under load a part of it outlives one: then most of it was
 * moved there, and major collections, each a pause of tens of milliseconds, came three times as often.
 */
export function keepObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
