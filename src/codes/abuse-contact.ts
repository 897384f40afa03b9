/**
 * Where somebody who meets abuse is led: the page that ABUSE_CONTACT names, or a mail to the address it names, about the
 * share address.
 */
export function abuseHref(contact: string | undefined, shareAddress: string): string | undefined {
  if (contact === undefined || /^https?:/.test(contact)) return contact;
  const to = encodeURIComponent(contact).replace('%40', '@');
  return `mailto:${to}?subject=${encodeURIComponent(shareAddress)}`;
}
