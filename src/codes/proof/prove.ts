import type { Picture } from '../image/draw.ts';
import { remediesFor } from './remedies.ts';
import {
  conditions,
  type PrintedPicture,
  printPicture,
  type ProvenSizeMm,
  provenSizesMm,
} from './proof-photos.ts';
import { readers } from './read-photo.ts';

/** From how far the sizes are proven. */
export const distanceCm = 15;

export interface Proof {
  /** The smallest width of the printed picture at which every photograph was read; null if there is none. */
  readsAtMm: ProvenSizeMm | null;
  /** A change that makes it readable, or readable when printed smaller; null if none was found, or none is needed. */
  remedy: { field: string; value: string } | null;
}

/** Photographs the picture as a phone would, and reads the photographs. */
export async function prove(picture: Picture): Promise<Proof> {
  const printed = await printPicture(picture);
  let readsAtMm: ProvenSizeMm | null = null;
  for (const sizeMm of provenSizesMm) {
    if (!(await isRead(printed, sizeMm, picture.text)))
      return { readsAtMm, remedy: await findRemedy(picture, sizeMm) };
    readsAtMm = sizeMm;
  }
  return { readsAtMm, remedy: null };
}

/** The first single change with which the picture is read at that size. */
async function findRemedy(picture: Picture, sizeMm: ProvenSizeMm): Promise<Proof['remedy']> {
  for (const { field, value, changed } of remediesFor(picture)) {
    if (await isRead(await printPicture(changed), sizeMm, changed.text)) return { field, value };
  }
  return null;
}

async function isRead(printed: PrintedPicture, sizeMm: ProvenSizeMm, text: string): Promise<boolean> {
  for (const condition of Object.values(conditions)) {
    const photo = printed.photo(sizeMm, condition);
    for (const read of Object.values(readers)) {
      if ((await read(photo)) !== text) return false;
    }
  }
  return true;
}
