/** Of an uploaded file. */
export const maxLogoBytes = 1024 * 1024;
/** What a file may decode to. Read from its header, before anything is decoded. */
export interface ImageLimits {
  maxSide: number;
  maxPixels: number;
}
/** 40 MB of pixels. */
export const logoImageLimits: ImageLimits = { maxSide: 8_192, maxPixels: 10_000_000 };
/** Of the stored logo: 300 dots per inch on a code that is printed 18 cm wide. */
export const storedLogoSide = 512;
/** Different ones, of an account. */
export const maxLogos = 100;

/** A file that is not accepted. The message is for its owner: what is wrong, and what to do. */
export class ImageError extends Error {
  override name = 'ImageError';
}

export const exportAgain = 'open it in an image editor and export it again';
export const broken = () => new ImageError(`is damaged or incomplete: ${exportAgain}`);
export const hasMore = () => new ImageError(`has other data after the image: ${exportAgain}`);
export const asPng = 'export it as PNG';
export const unsupported = (what: string) => new ImageError(`is an SVG with ${what}: ${asPng}`);
