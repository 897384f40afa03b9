/** Text that Postgres can store. */
export function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * C0 and C1 control characters, line and paragraph separators, and bidirectional embeddings, overrides and isolates.
 * Plain direction marks are allowed: they do not affect other characters.
 */
const unsafeCharacters = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** One line with a visible character, and nothing that breaks or spoofs a log, a list or a page. */
export function isLabel(text: string): boolean {
  return isText(text) && !unsafeCharacters.test(text) && /[^\p{Z}\p{C}]/u.test(text);
}

const longestLabel = 200;
/** No character in NFC comes from more code units. */
const longestDecomposition = 4;

/**
 * Trims and converts to NFC. Text that is too long for a label is not converted, because normalizing many combining
 * marks takes quadratic time; its length is rejected later.
 */
export function normalizeLabel(text: string, maxLength = longestLabel): string {
  const trimmed = text.trim();
  return trimmed.length > longestDecomposition * maxLength ? trimmed : trimmed.normalize('NFC');
}
