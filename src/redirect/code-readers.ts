/**
 * A user agent without the names of apps that read QR codes, such as `QR Scanner/2.1` or `com.scanner.qr/3`. To isbot,
 * whatever says "scan" is a bot; here it is the visitor to count. `QRScannerBot` stays: it is one.
 */
export function withoutCodeReaders(userAgent: string): string {
  // Every other part is a word: in a name there is nothing but letters, digits and these.
  const parts = userAgent.split(/([\w./-]+)/);
  for (let index = 1; index < parts.length; index += 2) {
    const word = parts[index] ?? '';
    const next = parts[index + 1] === ' ' ? (parts[index + 2] ?? '') : '';
    const names = word.split('/');
    const at = names.findIndex(isCodeReader);
    if (at >= 0) parts[index] = names.slice(0, at).join('/');
    else if (isInTwoWords(word, next)) {
      parts[index] = '';
      parts[index + 2] = '';
    }
  }
  return parts.join('');
}

/** `QRScan/3.1`, `BarcodeScanner`, `scan.qr`: in either order. */
function isCodeReader(written: string): boolean {
  const name = written.toLowerCase();
  const code = codeAt(name);
  const scan = name.indexOf('scan');
  return code >= 0 && scan >= 0 && !isBot(name.slice(Math.max(code, scan)));
}

/** `QR Scanner`, `Scan QR`. */
function isInTwoWords(word: string, next: string): boolean {
  const [first, second] = [nameOf(word), nameOf(next)];
  if (word.includes('/') || isBot(second)) return false;
  return (codeAt(first) >= 0 && second.includes('scan')) || (first.includes('scan') && codeAt(second) === 0);
}

/** In small letters, without the version. */
function nameOf(word: string): string {
  return (word.split('/', 1)[0] ?? '').toLowerCase();
}

function codeAt(name: string): number {
  return name.search(/qr|bar-?code/);
}

function isBot(name: string): boolean {
  return /bot|crawl|spider/.test(name);
}
