/**
 * Removes the names of QR reader apps, such as `QR Scanner/2.1` or `com.scanner.qr/3`, from a user agent. isbot takes
 * everything with "scan" for a bot, but these are people who scan. `QRScannerBot` stays: it is a bot.
 */
export function withoutQrReaderApps(userAgent: string): string {
  // Every second part is a word, made of the characters that names contain.
  const parts = userAgent.split(/([\w./-]+)/);
  for (let index = 1; index < parts.length; index += 2) {
    const word = parts[index] ?? '';
    const next = parts[index + 1] === ' ' ? (parts[index + 2] ?? '') : '';
    const names = word.split('/');
    const at = names.findIndex(isQrReader);
    if (at >= 0) parts[index] = names.slice(0, at).join('/');
    else if (isQrReaderInTwoWords(word, next)) {
      parts[index] = '';
      parts[index + 2] = '';
    }
  }
  return parts.join('');
}

/** `QRScan/3.1`, `BarcodeScanner`, `scan.qr`: in either order. */
function isQrReader(written: string): boolean {
  const name = written.toLowerCase();
  const code = codeAt(name);
  const scan = name.indexOf('scan');
  return code >= 0 && scan >= 0 && !isBot(name.slice(Math.max(code, scan)));
}

/** `QR Scanner`, `Scan QR`. */
function isQrReaderInTwoWords(word: string, next: string): boolean {
  const [first, second] = [nameOf(word), nameOf(next)];
  if (word.includes('/') || isBot(second)) return false;
  return (codeAt(first) >= 0 && second.includes('scan')) || (first.includes('scan') && codeAt(second) === 0);
}

/** In lower case, without the version. */
function nameOf(word: string): string {
  return (word.split('/', 1)[0] ?? '').toLowerCase();
}

function codeAt(name: string): number {
  return name.search(/qr|bar-?code/);
}

function isBot(name: string): boolean {
  return /bot|crawl|spider/.test(name);
}
