import { isUtf8 } from 'node:buffer';

/** For vCard 2.1. Invalid escapes stay as they are. */
export function decodeQuotedPrintable(text: string, charset: string | undefined): string {
  const decode = charset ? decoderFor(charset) : guessCharset;
  return text.replace(/(?:=[0-9a-f]{2})+/gi, (run) => decode(Buffer.from(run.replaceAll('=', ''), 'hex')));
}

/** Outlook writes Windows-1252 without a CHARSET. */
function guessCharset(bytes: Buffer): string {
  return (isUtf8(bytes) ? utf8 : windows1252).decode(bytes);
}

const utf8 = new TextDecoder();
const windows1252 = new TextDecoder('windows-1252');

function decoderFor(charset: string): (bytes: Buffer) => string {
  try {
    const decoder = new TextDecoder(charset);
    return (bytes) => decoder.decode(bytes);
  } catch {
    return (bytes) => utf8.decode(bytes);
  }
}
