/** What Postgres can store. */
export function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * C0 and C1 control characters, line and paragraph separators, and the characters that embed, override or isolate a
 * direction of writing. The plain direction marks, which change no other character, are left to those who need them.
 */
const disguises = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** One line with something in it that can be seen, and nothing that breaks or disguises a log, a list or a page. */
export function isLabel(text: string): boolean {
  return isText(text) && !disguises.test(text) && /[^\p{Z}\p{C}]/u.test(text);
}
