import type { Images } from '../image/image-thread.ts';
import type { Printer } from '../print/print-codes.ts';
import type { Proofs } from '../proof/proofs.ts';
import type { Logos } from './stored-logo.ts';

/** Threads have no database: whatever draws a picture gets its logo with it. */

export function imagesWithLogos(images: Images, logos: Logos): Images {
  return {
    ...images,
    draw: async (caller, picture, format) => images.draw(caller, await logos.addTo(picture), format),
  };
}

export function proofsWithLogos(proofs: Proofs, logos: Logos): Proofs {
  return { ...proofs, prove: async (caller, picture) => proofs.prove(caller, await logos.addTo(picture)) };
}

export function printerWithLogos(printer: Printer, logos: Logos): Printer {
  return {
    ...printer,
    async drawPage(caller, { labels, ...page }) {
      const complete = labels.map(async (label) => ({ ...label, picture: await logos.addTo(label.picture) }));
      return printer.drawPage(caller, { ...page, labels: await Promise.all(complete) });
    },
  };
}
