/** What a code's stored text means to whoever scans it. Every `href` is safe to put into a link as it is. */
export type CodeContent =
  | LinkContent
  | LinksContent
  | PhoneContent
  | SmsContent
  | EmailContent
  | GeoContent
  | WifiContent
  | ContactContent
  | TextContent;

/** One http(s) address, as the WHATWG parser writes it: ready for a Location header. */
export interface LinkContent {
  kind: 'link';
  href: string;
}

/** Several links, or links among other words: each line in its order. */
export interface LinksContent {
  kind: 'links';
  lines: { text: string; href?: string }[];
}

export interface PhoneContent {
  kind: 'phone';
  number: string;
  href: string;
}

export interface SmsContent {
  kind: 'sms';
  number: string;
  body: string;
  href: string;
}

export interface EmailContent {
  kind: 'email';
  to: string[];
  cc: string[];
  subject: string;
  body: string;
  href: string;
}

export interface GeoContent {
  kind: 'geo';
  latitude: number;
  longitude: number;
  /** What the place is called, where the payload says so. */
  label: string;
  href: string;
  /** For Apple's devices, which do not know `geo:`. */
  appleHref: string;
  mapHref: string;
}

export interface WifiContent {
  kind: 'wifi';
  networkName: string;
  password: string;
  security: 'WPA' | 'WEP' | 'WPA2-EAP' | 'none';
  isHidden: boolean;
  /** The user name that a company network asks for. */
  identity?: string;
  /** The payload in its usual form, for phones that join from it. */
  payload: string;
}

export interface ContactContent {
  kind: 'contact';
  name: string;
  organization: string;
  title: string;
  /** Without `href` where it cannot be dialled, written to or opened: it is still shown. */
  phones: { number: string; href?: string; label: string }[];
  emails: { address: string; href?: string; label: string }[];
  links: { text: string; href?: string }[];
  /** Each as lines. */
  addresses: string[][];
  birthday: string;
  note: string;
  /** What is saved: a valid vCard, CRLF line ends, long lines folded. */
  vcf: string;
}

export interface TextContent {
  kind: 'text';
  text: string;
}
