/** Of a vCard 2.1. What is no valid escape stays as it is. */
export function decodeQuotedPrintable(text: string, charset = 'utf-8'): string {
  return text.replace(/(?:=[0-9a-f]{2})+/gi, (run) =>
    decoderFor(charset).decode(Buffer.from(run.replaceAll('=', ''), 'hex')),
  );
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
