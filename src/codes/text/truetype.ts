/** Outlines of a glyph: closed contours of points that are on the curve, or control a quadratic one. */
export type Outline = OutlinePoint[][];

export interface OutlinePoint {
  x: number;
  y: number;
  isOnCurve: boolean;
}

export interface FontGlyphShape {
  outline: Outline;
  advance: number;
}

export interface FontBox {
  xMin: number;
  yMin: number;
  xMax: number;
  yMax: number;
}

/** Writes the tables of a TrueType font that a PDF needs. Coordinates are rounded. */
export function writeTrueType(
  glyphs: FontGlyphShape[],
  { unitsPerEm, ascender, descender }: { unitsPerEm: number; ascender: number; descender: number },
): { file: Buffer; box: FontBox } {
  const encoded = glyphs.map(({ outline }) => encodeGlyph(outline));
  const box = around(encoded.map((glyph) => glyph.box));
  const most = (value: (glyph: EncodedGlyph) => number) => Math.max(0, ...encoded.map(value));
  const offsets = [0];
  for (const { data } of encoded) offsets.push((offsets.at(-1) as number) + data.length);
  const bearings = encoded.map((glyph) => glyph.box.xMin);
  const tables = {
    glyf: Buffer.concat(encoded.map(({ data }) => data)),
    head: struct(
      [4, 0x00010000], // version
      [4, 0x00010000], // revision
      [4, 0], // checksum of the file, set below
      [4, 0x5f0f3cf5], // magic number
      [2, 0b11], // baseline at 0, left side bearings at 0
      [2, unitsPerEm],
      [4, 0], // created and changed: the same bytes each time
      [4, 0],
      [4, 0],
      [4, 0],
      [2, box.xMin],
      [2, box.yMin],
      [2, box.xMax],
      [2, box.yMax],
      [2, 0], // style
      [2, 8], // smallest readable size
      [2, 2], // deprecated
      [2, 1], // long offsets in `loca`
      [2, 0],
    ),
    hhea: struct(
      [4, 0x00010000],
      [2, ascender],
      [2, descender],
      [2, 0], // line gap
      [2, Math.max(0, ...glyphs.map(({ advance }) => Math.round(advance)))],
      [2, Math.min(0, ...bearings)],
      [2, 0], // smallest right side bearing
      [2, most((glyph) => glyph.box.xMax)],
      [2, 1], // slope of the caret: upright
      ...Array.from({ length: 7 }, (): Field => [2, 0]),
      [2, glyphs.length],
    ),
    hmtx: struct(
      ...glyphs.flatMap(({ advance }, index): Field[] => [
        [2, Math.round(advance)],
        [2, bearings[index] ?? 0],
      ]),
    ),
    loca: struct(...offsets.map((offset): Field => [4, offset])),
    maxp: struct(
      [4, 0x00010000],
      [2, glyphs.length],
      [2, most(({ points }) => points)],
      [2, most(({ contours }) => contours)],
      [2, 0],
      [2, 0],
      [2, 2], // zones
      ...Array.from({ length: 8 }, (): Field => [2, 0]),
    ),
  };
  return { file: writeTables(tables), box };
}

type Field = [bytes: 2 | 4, value: number];

function struct(...fields: Field[]): Buffer {
  const data = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 4) data.writeUInt32BE(value, at);
    else data.writeUInt16BE(value & 0xffff, at);
    at += bytes;
  }
  return data;
}

interface EncodedGlyph {
  data: Buffer;
  box: FontBox;
  points: number;
  contours: number;
}

const onCurve = 0x01;
/** Contours of variable fonts may overlap. */
const overlapping = 0x40;

/** Coordinates take two bytes each: what that wastes is compressed in the PDF. */
function encodeGlyph(outline: Outline): EncodedGlyph {
  const rounded = outline
    .filter((contour) => contour.length > 1)
    .map((contour) => contour.map((point) => ({ ...point, x: Math.round(point.x), y: Math.round(point.y) })));
  const points = rounded.flat();
  const box = around(points.map(({ x, y }) => ({ xMin: x, yMin: y, xMax: x, yMax: y })));
  // A glyph without an outline, such as a space, has no data.
  if (points.length === 0) return { data: Buffer.alloc(0), box, points: 0, contours: 0 };
  const head = struct(
    [2, rounded.length],
    ...[box.xMin, box.yMin, box.xMax, box.yMax].map((value): Field => [2, value]),
  );
  const ends = Buffer.alloc(2 * rounded.length + 2); // and no instructions
  let end = -1;
  for (const [index, contour] of rounded.entries()) ends.writeUInt16BE((end += contour.length), 2 * index);
  const flags = Buffer.from(
    points.map(({ isOnCurve }, index) => (isOnCurve ? onCurve : 0) | (index === 0 ? overlapping : 0)),
  );
  const data = Buffer.concat([head, ends, flags, differences(points, 'x'), differences(points, 'y')]);
  return { data: padded(data), box, points: points.length, contours: rounded.length };
}

function differences(points: OutlinePoint[], axis: 'x' | 'y'): Buffer {
  const data = Buffer.alloc(2 * points.length);
  let before = 0;
  for (const [index, point] of points.entries()) {
    data.writeInt16BE(point[axis] - before, 2 * index);
    before = point[axis];
  }
  return data;
}

function around(boxes: FontBox[]): FontBox {
  const all = { xMin: 0, yMin: 0, xMax: 0, yMax: 0 };
  boxes.forEach((box, index) => {
    const isFirst = index === 0;
    all.xMin = isFirst ? box.xMin : Math.min(all.xMin, box.xMin);
    all.yMin = isFirst ? box.yMin : Math.min(all.yMin, box.yMin);
    all.xMax = isFirst ? box.xMax : Math.max(all.xMax, box.xMax);
    all.yMax = isFirst ? box.yMax : Math.max(all.yMax, box.yMax);
  });
  return all;
}

const padded = (data: Buffer) => Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);

/** Tables are sorted by name. */
function writeTables(tables: Record<string, Buffer>): Buffer {
  const names = Object.keys(tables).toSorted();
  const power = 2 ** Math.floor(Math.log2(names.length));
  const head = struct(
    [4, 0x00010000],
    [2, names.length],
    [2, power * 16],
    [2, Math.log2(power)],
    [2, (names.length - power) * 16],
  );
  let offset = head.length + 16 * names.length;
  const entries: Buffer[] = [];
  const bodies: Buffer[] = [];
  let headOffset = 0;
  for (const name of names) {
    const table = tables[name] as Buffer;
    const body = padded(table);
    if (name === 'head') headOffset = offset;
    entries.push(Buffer.from(name, 'latin1'), struct([4, checksum(body)], [4, offset], [4, table.length]));
    bodies.push(body);
    offset += body.length;
  }
  const file = Buffer.concat([head, ...entries, ...bodies]);
  file.writeUInt32BE((0xb1b0afba - checksum(file)) >>> 0, headOffset + 8);
  return file;
}

function checksum(data: Buffer): number {
  let sum = 0;
  for (let at = 0; at < data.length; at += 4) sum = (sum + data.readUInt32BE(at)) >>> 0;
  return sum;
}
