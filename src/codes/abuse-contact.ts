/**
 * The link to report abuse: the page in ABUSE_CONTACT, or a mail to the address in it with the share address as the
 * subject.
 */
export function abuseHref(contact: string | undefined, shareAddress: string): string | undefined {
  if (contact === undefined || /^https?:/.test(contact)) return contact;
  const to = encodeURIComponent(contact).replace('%40', '@');
  return `mailto:${to}?subject=${encodeURIComponent(shareAddress)}`;
}
