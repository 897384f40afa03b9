import type { HashCost } from '../../src/accounts/passwords.ts';
import { createPasswordHasher, type PasswordHasher } from '../../src/accounts/password-hasher.ts';
import { type Images, openImages } from '../../src/codes/image/image-thread.ts';
import { closeAtEndOfRun } from './end-of-run.ts';
import { testLog } from './test-log.ts';

// The threads that hold nothing of a service's own are started once for all services of the process.

/** A hash takes no time. That those of the service do is shown by test/accounts/password-hasher.test.ts. */
export const lowestCost: HashCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

let hasher: PasswordHasher | undefined;
let images: Promise<Images> | undefined;

export function sharedPasswords(): PasswordHasher {
  if (!hasher) {
    hasher = createPasswordHasher({ log: testLog(), cost: lowestCost });
    closeAtEndOfRun(hasher.close);
  }
  return { ...hasher, close: async () => undefined };
}

/** Started by the first picture, as the threads for passwords are by the first password. */
export function sharedImages(): Images {
  return {
    async draw(caller, picture, format) {
      images ??= open();
      return (await images).draw(caller, picture, format);
    },
    close: async () => undefined,
  };
}

async function open(): Promise<Images> {
  const opened = await openImages(testLog());
  closeAtEndOfRun(opened.close);
  return opened;
}
