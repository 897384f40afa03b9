/** Han characters are drawn differently in mainland China, Taiwan, Japan and Korea. */
export type Region = 'sc' | 'tc' | 'jp' | 'kr';

/**
 * The region that a text is likely from: by kana and hangul, else the first one whose national character set has all of
 * its Han characters. Names of which several regions could be the origin are drawn as in mainland China.
 */
export function likelyRegion(text: string): Region {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'jp';
  if (/\p{Script=Hangul}/u.test(text)) return 'kr';
  if (/\p{Script=Bopomofo}/u.test(text)) return 'tc';
  const characters = text.match(/\p{Script=Han}/gu) ?? [];
  const hasAll = (region: Region) => characters.every((character) => nationalSet(region).has(character));
  return (['sc', 'tc', 'jp', 'kr'] as const).find(hasAll) ?? 'sc';
}

/** Encodings of the national sets, and the rows and cells where these have Han characters. */
const encodings: Record<Region, { label: string; rows: [number, number]; cells: [number, number] }> = {
  sc: { label: 'gbk', rows: [0xb0, 0xf7], cells: [0xa1, 0xfe] },
  tc: { label: 'big5', rows: [0xa4, 0xf9], cells: [0x40, 0xfe] },
  jp: { label: 'shift_jis', rows: [0x88, 0xea], cells: [0x40, 0xfc] },
  kr: { label: 'euc-kr', rows: [0xca, 0xfd], cells: [0xa1, 0xfe] },
};
const nationalSets = new Map<Region, Set<string>>();

/** GB 2312, Big5, JIS X 0208 or KS X 1001, read from the decoders that Node has. */
function nationalSet(region: Region): Set<string> {
  const known = nationalSets.get(region);
  if (known) return known;
  const { label, rows, cells } = encodings[region];
  const decoder = new TextDecoder(label);
  const set = new Set<string>();
  for (let row = rows[0]; row <= rows[1]; row += 1) {
    for (let cell = cells[0]; cell <= cells[1]; cell += 1) {
      const character = decoder.decode(Uint8Array.of(row, cell));
      if (/^\p{Script=Han}$/u.test(character)) set.add(character);
    }
  }
  nationalSets.set(region, set);
  return set;
}
