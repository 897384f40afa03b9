/** Where a span belongs: what a W3C `traceparent` header says. */
export interface TraceContext {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

const format = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const length = 55;
/** Later versions of the format may be longer. */
const maxLength = 256;
const sampledFlag = 1;

/** Undefined for anything but a valid `traceparent`. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  if (text === undefined || text.length < length || text.length > maxLength) return undefined;
  const [, version, traceId = '', spanId = '', flags = ''] = format.exec(text.slice(0, length)) ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return undefined;
  if (text.length > length && (version === '00' || text[length] !== '-')) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
