import type { HashCost } from '../../src/accounts/passwords.ts';
import { createPasswordHasher, type PasswordHasher } from '../../src/accounts/password-hasher.ts';
import type { ImageDecoder } from '../../src/codes/files/image-decoder.ts';
import { ImageError } from '../../src/codes/files/upload.ts';
import { openProofs, type Proofs } from '../../src/codes/proof/proofs.ts';
import { type Images, openImages } from '../../src/codes/image/image-thread.ts';
import { closeAtEndOfRun } from './end-of-run.ts';
import { testLog } from './test-log.ts';

// The threads that hold nothing of a service's own are started once for all services of the process.

/** A hash takes no time. That those of the service do is shown by test/accounts/password-hasher.test.ts. */
export const lowestCost: HashCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

let hasher: PasswordHasher | undefined;
let images: Promise<Images> | undefined;
let proofs: Proofs | undefined;

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
    async findUndrawable(caller, text) {
      images ??= open();
      return (await images).findUndrawable(caller, text);
    },
    close: async () => undefined,
  };
}

async function open(): Promise<Images> {
  // Loading its code from the sources, and fonts for the first text, takes long on a machine that is busy with other tests.
  const opened = await openImages(testLog(), {
    callTimeoutMs: 110_000,
    hangLimitMs: 110_000,
    maxWaitMs: 110_000,
  });
  closeAtEndOfRun(opened.close);
  return opened;
}

/** One process for all services, started by the first proof. */
export function sharedProofs(): Proofs {
  if (!proofs) {
    proofs = openProofs(testLog());
    closeAtEndOfRun(proofs.close);
  }
  return { ...proofs, close: async () => undefined };
}

/** Takes every picture for readable. What a proof finds is shown by test/codes/proof/ and test/web/api/design.test.ts. */
export const assumedProofs: Proofs = {
  prove: async () => ({ readsAtMm: 15, remedy: null, undrawable: null }),
  close: async () => undefined,
};

/** In this process. That files are decoded in threads of their own is shown by test/codes/files/image-decoder.test.ts. */
const decoderHere: ImageDecoder = {
  async decode(_caller, file, purpose) {
    const { normalizeImage, normalizeLogo, normalizePhoto } = await import(
      '../../src/codes/files/normalize-image.ts'
    );
    const normalizers = { logo: normalizeLogo, image: normalizeImage, photo: normalizePhoto };
    return normalizers[purpose](Buffer.from(file)).catch((error: unknown) => {
      // Modules that are imported dynamically have classes of their own here, as they have in a thread.
      throw error instanceof Error && error.name === 'ImageError' ? new ImageError(error.message) : error;
    });
  },
  close: async () => undefined,
};

/** For tests of what is stored: a proof and the thread of an upload take half a second of processor time each. */
export const quickImages = { proofs: assumedProofs, imageDecoder: decoderHere };
