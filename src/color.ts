/** WCAG 2 contrast of two relative luminances, from 1 to 21. */
export function contrastOf(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** WCAG 2 relative luminance of #RRGGBB, from 0 (black) to 1 (white). */
export function luminance(color: string): number {
  const [red, green, blue] = linearOf(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** `color` with that share of `other`, as #rrggbb. */
export function mixed(color: string, other: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [one, two] = [color, other].map((each) => Number.parseInt(each.slice(at, at + 2), 16));
    return Math.round((one ?? 0) * (1 - share) + (two ?? 0) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}

/** Linear light of the three channels of #RRGGBB, from 0 to 1. */
function linearOf(color: string): [number, number, number] {
  return [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
}

/** Lightness, and the two axes of color, in which equal steps look equal: https://bottosson.github.io/posts/oklab/ */
type Oklab = readonly [lightness: number, a: number, b: number];

function oklabOf(color: string): Oklab {
  const [red, green, blue] = linearOf(color);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Undefined where no screen shows it. */
function colorOf([lightness, a, b]: Oklab): string | undefined {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  if (channels.some((channel) => channel < -1e-4 || channel > 1 + 1e-4)) return undefined;
  const parts = channels.map((channel) => {
    const part = channel <= 0.0031308 ? 12.92 * channel : 1.055 * Math.max(channel, 0) ** (1 / 2.4) - 0.055;
    return Math.round(Math.min(1, Math.max(0, part)) * 255)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}

/** Near-neutral colors, such as a warm black, stay neutral. */
const leastChroma = 0.03;
/** A dark color has little chroma. Lightened, it would be a gray that looks like a disabled button. */
const vividChroma = 0.12;
const chromaSteps = 20;

/** The color with that share of white in lightness, and at least as vivid as it was, as far as screens show it. */
function lightened(color: string, share: number): string {
  if (share === 0) return color;
  const [lightness, a, b] = oklabOf(color);
  const chroma = Math.hypot(a, b);
  const wanted = chroma < leastChroma ? chroma : Math.max(chroma, vividChroma);
  const light = lightness + (1 - lightness) * share;
  for (let step = chromaSteps; step > 0; step -= 1) {
    const scale = (wanted * step) / chromaSteps / (chroma || 1);
    const found = colorOf([light, a * scale, b * scale]);
    if (found) return found;
  }
  return mixed(color, '#ffffff', share);
}

/** Minimum contrast of text. */
const minContrast = 4.5;
const steps = 50;

/** As close to the color as the contrast with the backgrounds allows: darker or lighter until text in it is readable. */
export function readable(
  color: string,
  towards: '#000000' | '#ffffff',
  backgroundsOf: (candidate: string) => string[],
): string {
  for (let step = 0; step <= steps; step += 1) {
    const candidate =
      towards === '#ffffff' ? lightened(color, step / steps) : mixed(color, towards, step / steps);
    const isReadable = backgroundsOf(candidate).every(
      (background) => contrastOf(luminance(candidate), luminance(background)) >= minContrast,
    );
    if (isReadable) return candidate;
  }
  return towards;
}
