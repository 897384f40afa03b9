import { bytesPerMb } from '../../runtime/units.ts';
import type { ImageLimits } from '../logo/logo-limits.ts';

export const maxFileBytes = 10 * bytesPerMb;
/** Read and sent at once. A slow reader holds one of them. */
export const chunkBytes = 128 * 1024;
/** What phones take by default: 100 MB of pixels. */
export const fileImageLimits: ImageLimits = { maxSide: 16_384, maxPixels: 25_000_000 };

/** Of the stored photo of a contact. Phones show it a few millimeters wide. */
export const photoSide = 256;
/** A vCard with more is refused by some phones. */
export const maxPhotoBytes = 64 * 1024;
