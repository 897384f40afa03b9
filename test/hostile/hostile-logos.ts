import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { pngFile } from '../../src/codes/image/pixels.ts';
import { withHiddenFrame, withTwoFrames } from '../codes/files/camera-files.ts';
import { jpeg, plainSvg, png, svg, webp } from '../codes/files/logo-files.ts';

/** A file that is no logo, and what its owner is told. */
export type HostileLogo = [name: string, file: Buffer, message: RegExp];

const notAnImage = /must be a PNG, JPEG, WebP or SVG file: export it as PNG/;
const broken = /is damaged or incomplete: open it in an image editor and export it again/;
const hasMore = /has other data after the image: open it in an image editor/;
const tooLarge = /has \d+ × \d+ pixels, and may be at most 8192 .*: make it smaller/;
const invalidSvg = /is not a valid SVG file: export it as PNG/;
const animated = /is animated: save a single picture of it/;
const withPart = (what: string) => new RegExp(`is an SVG with ${what}.*: export it as PNG`);
const square = '<path d="M2 2h20v20H2z"/>';

/** Only the time that it may take stops it. */
export const endlessSvg = svg(`<path d="M0 12${'c0 60 24-60 0 0'.repeat(60_000)}z"/>`);

function header(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(width, 0);
  bytes.writeUInt32BE(height, 4);
  bytes.set([8, 6], 8);
  return bytes;
}

const chunk = (type: string, data: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type, 'latin1'), data, Buffer.alloc(4)]);
};

function changed(file: Buffer, at: number, bytes: number[]): Buffer {
  const copy = Buffer.from(file);
  copy.set(bytes, at);
  return copy;
}

/** Megabytes of zeros, as zlib compresses them. Each megabyte is the same, so only one is compressed. */
function deflatedZeros(megabytes: number): Buffer {
  const bytes = 1_000_000;
  const one = deflateRawSync(Buffer.alloc(bytes), { finishFlush: constants.Z_FULL_FLUSH });
  const checksum = Buffer.alloc(4);
  checksum.writeUInt16BE((megabytes * bytes) % 65_521, 0);
  checksum.writeUInt16BE(1, 2);
  const empty = Buffer.from([3, 0]);
  return Buffer.concat([
    Buffer.from([0x78, 0x9c]),
    ...Array.from({ length: megabytes }, () => one),
    empty,
    checksum,
  ]);
}

/** A JPEG that says it has this size, at its start of frame. */
function jpegOfSize(file: Buffer, width: number, height: number): Buffer {
  const frame = [0xc0, 0xc2].map((marker) => file.indexOf(Buffer.from([0xff, marker]))).find((at) => at > 0);
  const copy = Buffer.from(file);
  copy.writeUInt16BE(height, (frame as number) + 5);
  copy.writeUInt16BE(width, (frame as number) + 7);
  return copy;
}

/** `entities` are declared, then used in the drawing. `address` counts who connects to it. */
function svgFiles(address: string): HostileLogo[] {
  const declared = (entities: string, inner: string) =>
    Buffer.concat([Buffer.from(`<?xml version="1.0"?><!DOCTYPE svg [${entities}]>`), svg(inner)]);
  const laughs = Array.from({ length: 10 }, (_, level) =>
    level === 0 ? '<!ENTITY l0 "lol">' : `<!ENTITY l${level} "${`&l${level - 1};`.repeat(10)}">`,
  ).join('');
  const entities = withPart('declarations of entities');
  const links = withPart('links');
  return [
    ['SVG with a script', svg(`<script>fetch('${address}')</script>${square}`), withPart('<script>')],
    ['SVG with a script in its definitions', svg(`<defs><script/></defs>${square}`), withPart('<script>')],
    [
      'SVG with a script in the metadata',
      svg(`<metadata><script/></metadata>${square}`),
      withPart('<script>'),
    ],
    ['SVG with a script by address', svg(`<script href="${address}/x.js"/>`), links],
    [
      'SVG with onload',
      svg(square, `viewBox="0 0 9 9" onload="fetch('${address}')"`),
      withPart('the script onload'),
    ],
    ['SVG with ONCLICK', svg(`<g ONCLICK="x()">${square}</g>`), withPart('the script onclick')],
    ['SVG with a link', svg(`<a href="javascript:alert(1)">${square}</a>`), links],
    ['SVG with an image elsewhere', svg(`<image href="${address}/a.png" width="9" height="9"/>`), links],
    [
      'SVG with an image elsewhere, the old way',
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"><image xlink:href="${address}/a.png"/></svg>`,
      ),
      links,
    ],
    ['SVG with an image inside', svg('<image width="9" height="9"/>'), withPart('<image>')],
    ['SVG that uses another file', svg(`<use href="${address}/a.svg#x"/>`), links],
    ['SVG that uses itself without end', svg('<g id="a"><use href="#a"/></g>'), links],
    [
      'SVG with HTML',
      svg('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>'),
      withPart('<foreignObject>'),
    ],
    [
      'SVG with a script of XHTML',
      svg(`<metadata><x:script xmlns:x="http://www.w3.org/1999/xhtml">x()</x:script></metadata>${square}`),
      withPart('<script>'),
    ],
    [
      'SVG with a style sheet elsewhere',
      svg(`<style>@import url(${address}/a.css);</style>${square}`),
      withPart('a style sheet that loads others'),
    ],
    [
      'SVG with an escaped import',
      svg(`<style>\\40 import url(${address})</style>${square}`),
      withPart('a style sheet'),
    ],
    ['SVG with other selectors', svg(`<style>svg *{fill:red}</style>${square}`), withPart('a style sheet')],
    [
      'SVG with a processing instruction',
      Buffer.concat([Buffer.from(`<?xml-stylesheet href="${address}/a.css"?>`), plainSvg]),
      withPart('processing instructions'),
    ],
    [
      'SVG filled by an address',
      svg(`<path fill="url(${address}/a.svg#g)" d="M0 0h9v9z"/>`),
      withPart('gradients or patterns'),
    ],
    [
      'SVG filled by a style with an address',
      svg(`<path style="fill:url(${address}#g)" d="M0 0h9v9z"/>`),
      withPart('gradients or patterns'),
    ],
    ['SVG with a filter', svg(`<g filter="url(${address}#f)">${square}</g>`), withPart('filter')],
    ['SVG with a mask', svg(`<g mask="url(#m)">${square}</g>`), withPart('mask')],
    [
      'SVG with an animation',
      svg(`<animate attributeName="href" values="x"/>${square}`),
      withPart('<animate>'),
    ],
    ['SVG with text in a font', svg('<text font-family="x">Hi</text>'), withPart('<text>')],
    ['SVG with an outline', svg('<path stroke="#000" d="M0 0h9"/>'), withPart('outlines')],
    [
      'external entity',
      declared('<!ENTITY x SYSTEM "file:///etc/passwd">', `<desc>&x;</desc>${square}`),
      entities,
    ],
    [
      'external entity at an address',
      declared(`<!ENTITY x SYSTEM "${address}/x">`, `<desc>&x;</desc>`),
      entities,
    ],
    ['external parameter entity', declared(`<!ENTITY % x SYSTEM "${address}/x.dtd"> %x;`, square), entities],
    ['billion laughs', declared(laughs, '<desc>&l9;</desc>'), entities],
    ['quadratic blowup', declared(`<!ENTITY a "${'a'.repeat(50_000)}">`, '&a;'.repeat(50_000)), entities],
    ['unknown entity', svg('<desc>&unknown;</desc>'), invalidSvg],
    [
      'unclosed SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g>'),
      invalidSvg,
    ],
    [
      'SVG without a namespace',
      Buffer.from(`<svg viewBox="0 0 9 9">${square}</svg>`),
      /must be an SVG file, which starts with/,
    ],
    [
      'HTML with an SVG',
      Buffer.concat([Buffer.from('<html><body>'), plainSvg, Buffer.from('</body></html>')]),
      /must be an SVG file, which starts with/,
    ],
    [
      'SVG in UTF-16',
      Buffer.concat([plainSvg, Buffer.from([0xff, 0xfe, 0x3c, 0x00])]),
      /must be encoded in UTF-8/,
    ],
    ['SVG without a size', svg(square, ''), /must have a viewBox, or a width and a height/],
    ['SVG with a size of nothing', svg(square, 'viewBox="0 0 0 0"'), /must have a viewBox/],
    ['SVG as wide as a universe', svg(square, 'width="1e99" height="1e99"'), /must have a viewBox/],
    [
      'SVG as a thread',
      svg(square, 'viewBox="0 0 9000 1"'),
      /must be at most 20 times as wide as high: crop it/,
    ],
    ['SVG nested too deep', svg('<g>'.repeat(20_000) + '</g>'.repeat(20_000)), withPart('too many elements')],
    ['SVG with too many elements', svg('<g/>'.repeat(100_000)), withPart('too many elements')],
    ['SVG with too many points', svg(`<path d="M0 0${'h1'.repeat(300_000)}"/>`), withPart('too many points')],
    [
      'SVG with endless coordinates',
      svg('<path d="M0 0h1e300v1e300z"/>'),
      withPart('coordinates that are too large'),
    ],
    ['SVG with nothing in it', svg(''), /is empty: nothing of it would be seen/],
  ];
}

export async function hostileImages(): Promise<HostileLogo[]> {
  const [photo, drawing, lossless] = [await jpeg(), await webp(), await webp(64, 64, 1)];
  const zeros = deflatedZeros(30);
  const html = Buffer.from('<script>alert(1)</script>');
  return [
    ['0 bytes', Buffer.alloc(0), /is empty: send a PNG, JPEG, WebP or SVG file/],
    ['1 byte', Buffer.from([0x89]), notAnImage],
    ['zeros', Buffer.alloc(1_000), notAnImage],
    ['GIF', Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00', 'latin1'), notAnImage],
    ['BMP', Buffer.from(`BM${'\0'.repeat(60)}`, 'latin1'), notAnImage],
    ['TIFF', Buffer.from('II*\0\x08\0\0\0', 'latin1'), notAnImage],
    ['PDF', Buffer.from('%PDF-1.4\n%%EOF'), notAnImage],
    ['ZIP', Buffer.from('PK\x03\x04', 'latin1'), notAnImage],
    ['program', Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), notAnImage],
    ['JSON', Buffer.from('{"logo":"x"}'), notAnImage],
    ['HTML', Buffer.from('<!DOCTYPE html><script>alert(1)</script>'), notAnImage],
    ['compressed SVG', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), notAnImage],
    ['PNG with the wrong magic', changed(png(), 0, [0x88]), notAnImage],
    ['PNG, only its signature', png().subarray(0, 8), broken],
    ['PNG, truncated', png().subarray(0, 200), broken],
    ['PNG without its end', png().subarray(0, -12), broken],
    ['PNG with damaged pixels', changed(png(), 60, [1, 2, 3, 4]), broken],
    ['PNG without pixels', changed(png(), 37, [...Buffer.from('IDAX')]), broken],
    ['PNG of 0 × 0', pngFile(header(0, 0), [], deflateSync(Buffer.alloc(0))), broken],
    ['PNG of 50,000 × 50,000', pngFile(header(50_000, 50_000), [], zeros), tooLarge],
    ['PNG of 8,000 × 8,000', pngFile(header(8_000, 8_000), [], zeros), tooLarge],
    [
      'PNG of 10 megapixels of nothing',
      pngFile(header(4_000, 2_500), [], deflateSync(Buffer.alloc(16_001 * 2_500))),
      /is empty: nothing of it would be seen/,
    ],
    ['PNG of 4,294,967,295 × 1', pngFile(header(0xffffffff, 1), [], zeros), tooLarge],
    [
      'PNG with fewer pixels than it says',
      pngFile(header(3_000, 3_000), [], deflateSync(Buffer.alloc(9))),
      broken,
    ],
    ['PNG with a chunk that never ends', changed(png(), 33, [0x7f, 0xff, 0xff, 0xff]), broken],
    ['PNG with more data than pixels', pngFile(header(2, 2), [], deflatedZeros(225)), hasMore],
    [
      'PNG with bytes behind its data',
      pngFile(header(2, 2), [], Buffer.concat([deflateSync(Buffer.alloc(18)), html])),
      hasMore,
    ],
    ['PNG with a ZIP behind it', Buffer.concat([png(), Buffer.from('PK\x03\x04', 'latin1')]), hasMore],
    ['PNG with a script behind it', Buffer.concat([png(), html]), hasMore],
    [
      'animated PNG',
      Buffer.concat([png().subarray(0, 33), chunk('acTL', Buffer.alloc(8)), png().subarray(33)]),
      animated,
    ],
    ['JPEG, only its start', photo.subarray(0, 4), broken],
    ['JPEG, truncated', photo.subarray(0, photo.length >> 1), broken],
    ['JPEG with a script behind it', Buffer.concat([photo, html]), hasMore],
    ['JPEG of 65,000 × 65,000', jpegOfSize(photo, 65_000, 65_000), tooLarge],
    ['JPEG of 0 × 0', jpegOfSize(photo, 0, 0), broken],
    ['JPEG of 16,000 × 16,000 in a restart marker', withHiddenFrame(photo, 0xd0, 16_000, 16_000), broken],
    ['JPEG of 16,000 × 16,000 in a marker alone', withHiddenFrame(photo, 0x01, 16_000, 16_000), broken],
    ['JPEG with two frames', withTwoFrames(photo, 3_000, 3_000), broken],
    ['JPEG without tables', Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2, 0, 0, 0, 0, 0, 0xff, 0xd9]), broken],
    ['WebP, truncated', drawing.subarray(0, 60), broken],
    ['WebP with more than it says', Buffer.concat([drawing, html]), hasMore],
    ['WebP with damaged pixels', changed(lossless, 21, [0xff, 0xc0, 0xff]), broken],
    ['WebP of 16,384 × 16,384', changed(lossless, 21, [0xff, 0xff, 0xff, 0x0f]), tooLarge],
    ['WebP that is something else', changed(drawing, 12, [...Buffer.from('EVIL')]), broken],
    [
      'WebP with an animation',
      changed(changed(drawing, 12, [...Buffer.from('VP8X')]), 20, [2, 0, 0, 0, 9, 0, 0, 9, 0, 0]),
      animated,
    ],
  ];
}

export async function hostileLogos(address: string): Promise<HostileLogo[]> {
  return [...svgFiles(address), ...(await hostileImages())];
}
