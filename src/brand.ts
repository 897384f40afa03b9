import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { mixed, readable } from './color.ts';
import { colors, type ThemeChanges } from './theme.ts';

/** How the operator presents the service. */
export interface Brand {
  name: string;
  /** False: nothing is set, and everything looks as we made it. */
  isCustom: boolean;
  /** On pages for people who scan: nothing of ours where anything is set. */
  publicName: string | undefined;
  /** #rrggbb, as set. */
  color: string | undefined;
  /** In the header instead of our icon. */
  logo: BrandPicture | undefined;
  /** Undefined: ours. */
  icon: BrandFile | undefined;
  /** The last lines of every mail. */
  mailFooter: readonly string[];
}

/** A picture of the operator, in memory. */
export interface BrandFile {
  /** Changes with the file, so that browsers may cache it forever. */
  path: string;
  mediaType: string;
  bytes: Buffer;
}

export interface BrandPicture extends BrandFile {
  width: number;
  height: number;
}

export const ourName = 'Qrelay';

/** Every service that sets nothing has this one. */
export const ourBrand: Brand = Object.freeze({
  name: ourName,
  isCustom: false,
  publicName: ourName,
  color: undefined,
  logo: undefined,
  icon: undefined,
  mailFooter: Object.freeze([]),
});

const maxNameLength = 40;
const maxFooterLength = 1_000;
const maxFooterLines = 10;
const maxFileKb = 200;

/** Each error starts with the name of its variable. */
export function readBrand(
  given: (name: string) => string | undefined,
  onError: (error: string) => void,
): Brand {
  const name = readName(given('BRAND_NAME'), onError);
  const color = readColor(given('BRAND_COLOR'), onError);
  const logo = readPicture('BRAND_LOGO', given('BRAND_LOGO'), onError);
  const ownIcon = readPicture('BRAND_ICON', given('BRAND_ICON'), onError);
  const mailFooter = readFooter(given('MAIL_FOOTER'), onError);
  const isCustom = [name, color, logo, ownIcon].some((value) => value !== undefined);
  if (!isCustom && mailFooter.length === 0) return ourBrand;
  const shownName = name ?? ourName;
  return Object.freeze({
    name: shownName,
    isCustom,
    publicName: isCustom ? name : ourName,
    color,
    logo,
    icon: ownIcon ?? (isCustom ? monogram(shownName, color) : undefined),
    mailFooter: Object.freeze(mailFooter),
  });
}

type Report = (error: string) => void;

function readName(text: string | undefined, onError: Report): string | undefined {
  if (text === undefined) return undefined;
  const name = text.normalize('NFC');
  // Control characters, line breaks, and characters that change the direction of the text around them.
  const isPlain = !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(name);
  if (isPlain && [...name].length <= maxNameLength) return name;
  onError(`BRAND_NAME must be at most ${maxNameLength} characters on one line`);
  return undefined;
}

function readColor(text: string | undefined, onError: Report): string | undefined {
  if (text === undefined || /^#[0-9a-f]{6}$/i.test(text)) return text?.toLowerCase();
  onError(`BRAND_COLOR must be a color such as #0a66c2, not "${text.slice(0, 30)}"`);
  return undefined;
}

/** A line break may be written as \n, where a file of variables has one line for each. */
function readFooter(text: string | undefined, onError: Report): string[] {
  if (text === undefined) return [];
  const lines = text
    .replaceAll('\\n', '\n')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const isPlain = lines.every((line) => !/\p{Cc}/u.test(line));
  if (isPlain && text.length <= maxFooterLength && lines.length <= maxFooterLines) return lines;
  onError(
    `MAIL_FOOTER must be plain text of at most ${maxFooterLines} lines and ${maxFooterLength} characters`,
  );
  return [];
}

function readPicture(name: string, given: string | undefined, onError: Report): BrandPicture | undefined {
  if (given === undefined) return undefined;
  const file = resolve(given);
  try {
    if (statSync(file).size > maxFileKb * 1024) {
      onError(`${name} must be a file of at most ${maxFileKb} KB: ${file} is larger`);
      return undefined;
    }
    const bytes = readFileSync(file);
    const picture = pngSize(bytes) ?? svgSize(bytes);
    if (picture) return { ...picture, ...brandFile(name, bytes, picture.mediaType) };
    onError(
      `${name} must be a PNG, or an SVG with a viewBox or a width and height in pixels: ${file} is neither`,
    );
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    onError(`${name} must be a file that this process can read: ${file} cannot be read (${reason})`);
  }
  return undefined;
}

function brandFile(name: string, bytes: Buffer, mediaType: string): BrandFile {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const extension = mediaType === 'image/png' ? 'png' : 'svg';
  const kind = name === 'BRAND_LOGO' ? 'logo' : 'icon';
  return { path: `/brand/${kind}-${digest}.${extension}`, mediaType, bytes };
}

interface PictureSize {
  mediaType: string;
  width: number;
  height: number;
}

const pngStart = Buffer.from('89504e470d0a1a0a', 'hex');

function pngSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 24 || !bytes.subarray(0, 8).equals(pngStart)) return undefined;
  return sized('image/png', bytes.readUInt32BE(16), bytes.readUInt32BE(20));
}

/** The root element is at the start; a longer one is not searched. */
const maxRootLength = 4_000;

const attributes = {
  viewBox: /\sviewBox=["']([^"']{1,60})["']/,
  width: /\swidth=["']([^"']{1,60})["']/,
  height: /\sheight=["']([^"']{1,60})["']/,
};

function svgSize(bytes: Buffer): PictureSize | undefined {
  const start = bytes.subarray(0, maxRootLength).toString();
  const from = start.search(/<svg\s/);
  const to = start.indexOf('>', from);
  if (from < 0 || to < 0) return undefined;
  const root = start.slice(from, to);
  const attribute = (name: keyof typeof attributes) => attributes[name].exec(root)?.[1];
  const [, , boxWidth, boxHeight] = (attribute('viewBox') ?? '').trim().split(/[\s,]+/);
  const pixels = (text = '') => (/^\d+(?:\.\d+)?(?:px)?$/.test(text) ? Number.parseFloat(text) : Number.NaN);
  return (
    sized('image/svg+xml', pixels(boxWidth), pixels(boxHeight)) ??
    sized('image/svg+xml', pixels(attribute('width')), pixels(attribute('height')))
  );
}

function sized(mediaType: string, width: number, height: number): PictureSize | undefined {
  return width > 0 && height > 0 ? { mediaType, width, height } : undefined;
}

/** The first letter on the color, for operators who have no icon. */
function monogram(name: string, color: string | undefined): BrandFile {
  const [letter = ''] = name.toUpperCase();
  const escaped = letter.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const fill = color === undefined ? colors.accent[0] : readable(color, '#000000', () => ['#ffffff']);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${fill}"/><text x="16" y="22.5" text-anchor="middle" font-family="system-ui,sans-serif" font-size="19" font-weight="700" fill="#fff">${escaped}</text></svg>`;
  return brandFile('BRAND_ICON', Buffer.from(svg), 'image/svg+xml');
}

const [lightPaper, darkPaper] = colors.paper;
const [lightCard, darkCard] = colors.card;
const [lightRaised, darkRaised] = colors.raised;
const lightTint = (accent: string) => mixed(accent, lightCard, 0.88);
const darkTint = (accent: string) => mixed(accent, darkCard, 0.8);

/** The color as it is used for text and buttons: darker or lighter than it was set where it would not be readable. */
export function readableAccents(color: string): { light: string; dark: string } {
  return {
    light: readable(color, '#000000', (accent) => [lightPaper, lightRaised, lightTint(accent)]),
    dark: readable(color, '#ffffff', (accent) => [darkPaper, darkRaised, darkTint(accent)]),
  };
}

/** What the color changes in the theme. The colors of warnings and errors stay. */
export function themeOf({ color }: Brand): ThemeChanges {
  if (color === undefined) return {};
  const { light, dark } = readableAccents(color);
  const shade = (share: number) => [mixed(light, '#ffffff', share), mixed(dark, darkCard, share)] as const;
  return {
    accent: [light, dark],
    'accent-strong': [mixed(light, '#000000', 0.22), mixed(dark, '#ffffff', 0.4)],
    'accent-ink': ['#ffffff', '#000000'],
    tint: [lightTint(light), darkTint(dark)],
    'shade-1': shade(0.75),
    'shade-2': shade(0.52),
    'shade-3': shade(0.3),
    'shade-4': shade(0.12),
    'shade-5': [mixed(light, '#000000', 0.22), mixed(dark, '#ffffff', 0.4)],
  };
}
