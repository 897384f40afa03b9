import { parseTraceparent, type TraceContext } from './trace-context.ts';

/** As Heroku's router accepts them. No address, API key or e-mail address has this form, and so none gets into the log. */
const requestId = /^[A-Za-z0-9+/=-]{20,200}$/;
const traceparent = 'traceparent';

/** The id that a trusted proxy gave to the request; undefined if it is none that we would log. */
export function forwardedRequestId(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && requestId.test(value) ? value : undefined;
}

/** For requests whose headers are not parsed into an object: the scan lane's. */
export function forwardedTrace(rawHeaders: readonly string[]): TraceContext | undefined {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== traceparent.length || name.toLowerCase() !== traceparent) continue;
    // Two of them contradict each other: W3C says to ignore both.
    if (found !== undefined) return undefined;
    found = rawHeaders[index + 1];
  }
  return parseTraceparent(found);
}
