/** Of an uploaded file. */
export const maxLogoBytes = 1024 * 1024;
/** What the file may decode to: 40 MB of pixels. Read from its header, before anything is decoded. */
export const maxLogoPixels = 10_000_000;
export const maxLogoSide = 8_192;
/** Of the stored logo: 300 dots per inch on a code that is printed 18 cm wide. */
export const storedLogoSide = 512;
/** Different ones, of an account. */
export const maxLogos = 100;

/** A file that is no logo. The message is for its owner: what is wrong, and what to do. */
export class LogoError extends Error {
  override name = 'LogoError';
}

export const asPng = 'export it as PNG';
export const unsupported = (what: string) => new LogoError(`is an SVG with ${what}: ${asPng}`);
