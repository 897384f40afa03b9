import { parseUrl } from './parse-url.ts';

export type FooterLink = 'privacy' | 'imprint' | 'terms' | 'contact' | 'source';

/** Where people get further, set by the operator. */
export interface LinkConfig {
  /** An e-mail address or http(s) URL for users who need help. */
  supportContact: string | undefined;
  /** An e-mail address or http(s) URL for abuse reports. */
  abuseContact: string | undefined;
  /** URLs in the footer of every page, where set. */
  footerLinks: Readonly<Record<FooterLink, string | undefined>>;
}

/** Each error starts with the name of its variable. */
export function readLinkConfig(
  given: (name: string) => string | undefined,
  onError: (error: string) => void,
): LinkConfig {
  function read(name: string, parse: (text: string) => string | undefined, requirement: string) {
    const text = given(name);
    if (text === undefined) return undefined;
    const parsed = parse(text);
    if (parsed === undefined) onError(`${name} must be ${requirement}`);
    return parsed;
  }
  const webUrl = 'a URL that starts with http:// or https://';
  const contact = (name: string) =>
    read(name, parseContact, `an email address, such as abuse@example.com, or ${webUrl}`);
  const page = (name: string) => read(name, parseWebUrl, webUrl);
  return {
    supportContact: contact('SUPPORT_CONTACT'),
    abuseContact: contact('ABUSE_CONTACT'),
    footerLinks: Object.freeze({
      privacy: page('PRIVACY_URL'),
      imprint: page('IMPRINT_URL'),
      terms: page('TERMS_URL'),
      contact: read('CONTACT_URL', parseWebOrMailUrl, `${webUrl}, or mailto: and an email address`),
      source: page('SOURCE_URL'),
    }),
  };
}

function parseWebUrl(text: string): string | undefined {
  const url = parseUrl(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}

function parseWebOrMailUrl(text: string): string | undefined {
  const url = parseUrl(text);
  const isMail = url?.protocol === 'mailto:' && /^[^\s@]+@[^\s@]+$/.test(url.pathname);
  return isMail ? url.href : parseWebUrl(text);
}

function parseContact(text: string): string | undefined {
  const isAddress = /^[^\s@<>()",;:/]+@[^\s@<>()",;:/]+$/.test(text);
  return isAddress ? text : parseWebUrl(text);
}
