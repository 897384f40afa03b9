/** Of a vCard 2.1. What is no valid escape stays as it is. */
export function decodeQuotedPrintable(text: string, charset: string | undefined): string {
  return text.replace(/(?:=[0-9a-f]{2})+/gi, (run) => {
    const bytes = Buffer.from(run.replaceAll('=', ''), 'hex');
    return charset ? decoderFor(charset).decode(bytes) : decodeUntold(bytes);
  });
}

/** Outlook does not tell that it writes Windows-1252. */
function decodeUntold(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
