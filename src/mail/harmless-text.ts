const maxNameLength = 40;
/** Phones offer to call what looks like a telephone number. */
const maxDigits = 6;

/**
 * A name that somebody else has chosen, for a mail to people who do not know them. Mail programs turn `evil.com/login` into a
 * link, in plain text too, so only letters, digits, spaces and a few signs stay: "evil com login". Undefined if there is nothing left.
 */
export function harmlessName(name: string): string | undefined {
  const words = name
    .slice(0, 4 * maxNameLength)
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{M}\p{N}&'’()+-]+/gu, ' ')
    .trim();
  const short = [...words].slice(0, maxNameLength).join('').trim();
  const digits = short.match(/\p{N}/gu)?.length ?? 0;
  return short === '' || digits > maxDigits ? undefined : short;
}

/** An address in a mail to somebody else. Undefined if its first part could be read as a link of its own, such as `evil.com/x`. */
export function harmlessAddress(email: string): string | undefined {
  return /^(?!www\.)[a-z0-9][a-z0-9._+-]{0,63}@[a-z0-9.-]{1,190}$/i.test(email) ? email : undefined;
}
