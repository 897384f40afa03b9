import type { Picture } from '../image/draw.ts';
import type { GrayImage } from './gray-image.ts';
import { remediesFor } from './remedies.ts';
import { type PrintedPicture, printPicture } from './proof-photos.ts';
import { type ProvenSizeMm, provenSizesMm } from './proof-sizes.ts';
import { readers } from './read-photo.ts';

export interface Proof {
  /** The smallest width of the printed picture at which every photograph was read; null if there is none. */
  readsAtMm: ProvenSizeMm | null;
  /** A change that makes it readable, or readable when printed smaller; null if none was found, or none is needed. */
  remedy: { field: string; value: string } | null;
  /** A character of the text of the frame that no font has; null if there is none. */
  undrawable: string | null;
}

/** Photographs the picture as a phone would, and reads the photographs. */
export async function prove(picture: Picture): Promise<Proof> {
  const undrawable = await findUndrawableText(picture);
  if (undrawable !== null) return { readsAtMm: null, remedy: null, undrawable };
  const printed = await printPicture(picture);
  let readsAtMm: ProvenSizeMm | null = null;
  for (const sizeMm of provenSizesMm) {
    if (!(await isRead(printed, sizeMm, picture.text)))
      return { readsAtMm, remedy: await findRemedy(picture, sizeMm), undrawable };
    readsAtMm = sizeMm;
  }
  return { readsAtMm, remedy: null, undrawable };
}

async function findUndrawableText({ design }: Picture): Promise<string | null> {
  if (!design?.frameText || design.frame === 'none') return null;
  const { findUndrawable } = await import('../design/text-outline.ts');
  return findUndrawable(design.frameText) ?? null;
}

/** The first single change with which the picture is read at that size. */
async function findRemedy(picture: Picture, sizeMm: ProvenSizeMm): Promise<Proof['remedy']> {
  for (const { field, value, changed } of remediesFor(picture)) {
    if (await isRead(await printPicture(changed), sizeMm, changed.text)) return { field, value };
  }
  return null;
}

async function isRead(printed: PrintedPicture, sizeMm: ProvenSizeMm, text: string): Promise<boolean> {
  if (printed.moduleMm(sizeMm) < minModuleMm) return false;
  for (const condition of printed.conditions) {
    const film = filmOf((turnDegrees) =>
      printed.photo(sizeMm, { ...condition, rotationDegrees: condition.rotationDegrees + turnDegrees }),
    );
    for (const read of Object.values(readers)) {
      if (!(await readsFrames(film, condition.framesToRead, async (photo) => (await read(photo)) === text)))
        return false;
    }
  }
  return true;
}

/** Looks at no more frames than it has to. */
async function readsFrames(
  film: (frame: number) => GrayImage,
  framesToRead: number,
  reads: (photo: GrayImage) => Promise<boolean>,
): Promise<boolean> {
  let missesLeft = turnsDegrees.length - framesToRead;
  let framesRead = 0;
  for (let frame = 0; framesRead < framesToRead; frame += 1) {
    if (await reads(film(frame))) framesRead += 1;
    else if (missesLeft > 0) missesLeft -= 1;
    else return false;
  }
  return true;
}

/** Four pixels of the photograph: where modules have fewer, it is chance whether a reader finds them. */
const minModuleMm = 0.4;

/** A hand is never still: a phone that fails to read one frame of its film reads the next. */
const turnsDegrees = [0, 2.5, -2.5];

/** Takes each frame when it is first looked at. */
function filmOf(takePhoto: (turnDegrees: number) => GrayImage): (frame: number) => GrayImage {
  const frames: GrayImage[] = [];
  return (frame) => (frames[frame] ??= takePhoto(turnsDegrees[frame] ?? 0));
}
