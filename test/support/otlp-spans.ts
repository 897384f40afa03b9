/** Reads `ExportTraceServiceRequest` of opentelemetry-proto, without the code that wrote it. */

export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  name: string;
  kind: string;
  startMs: number;
  endMs: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
}

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const errorStatus = 2;

/** The fields of a message by their number: bytes, or numbers of eight bytes. */
type Fields = Map<number, (Buffer | bigint)[]>;

export function decodeSpans(body: Buffer): ReceivedSpan[] {
  return messages(readFields(body), 1).flatMap((resourceSpans) => {
    const service = String(attributesOf(messages(resourceSpans, 1)[0] ?? new Map(), 1)['service.name']);
    return messages(resourceSpans, 2).flatMap((scopeSpans) =>
      messages(scopeSpans, 2).map((span) => readSpan(span, service)),
    );
  });
}

function readSpan(span: Fields, service: string): ReceivedSpan {
  return {
    service,
    traceId: bytes(span, 1).toString('hex'),
    spanId: bytes(span, 2).toString('hex'),
    parentSpanId: bytes(span, 4).toString('hex'),
    name: bytes(span, 5).toString(),
    kind: kinds[Number(number(span, 6))] ?? '',
    startMs: Number(number(span, 7)) / 1e6,
    endMs: Number(number(span, 8)) / 1e6,
    attributes: attributesOf(span, 9),
    links: messages(span, 13).map((link) => ({
      traceId: bytes(link, 1).toString('hex'),
      spanId: bytes(link, 2).toString('hex'),
    })),
    isError: messages(span, 15).some((status) => Number(number(status, 3)) === errorStatus),
  };
}

function attributesOf(fields: Fields, at: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(fields, at).map((pair) => {
      const value = messages(pair, 2)[0] ?? new Map();
      const plain = value.has(1) ? bytes(value, 1).toString() : Number(number(value, 3));
      return [bytes(pair, 1).toString(), plain];
    }),
  );
}

const bytes = (fields: Fields, at: number) => (fields.get(at)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
const number = (fields: Fields, at: number) => (fields.get(at)?.[0] as bigint | undefined) ?? 0n;
const messages = (fields: Fields, at: number) =>
  (fields.get(at) ?? []).map((part) => readFields(part as Buffer));

/** The wire format of protobuf. */
function readFields(buffer: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  function varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = buffer.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
  function take(length: number): Buffer {
    at += length;
    if (at > buffer.length) throw new Error('The message is cut off');
    return buffer.subarray(at - length, at);
  }
  const readers: Record<number, () => Buffer | bigint> = {
    0: varint,
    1: () => take(8).readBigUInt64LE(),
    2: () => take(Number(varint())),
    5: () => BigInt(take(4).readUInt32LE()),
  };
  while (at < buffer.length) {
    const tag = Number(varint());
    const value = readers[tag & 7]?.();
    if (value === undefined) throw new Error(`There is no wire type ${tag & 7}`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}
