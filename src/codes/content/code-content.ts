/** The parsed content of a code. Every `href` is safe to use in a link. */
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

/** One http(s) URL, serialized by the WHATWG parser: ready for a Location header. */
export interface LinkContent {
  kind: 'link';
  href: string;
}

/** Several links, or links among other words, line by line. */
export interface LinksContent {
  kind: 'links';
  lines: LinkLine[];
}

/** The label is the owner's, and says nothing about where the link leads. */
export interface LinkLine {
  text: string;
  href?: string;
  label?: string;
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
  /** The name of the place, or empty. */
  label: string;
  href: string;
  /** For Apple devices, which do not support `geo:`. */
  appleHref: string;
  mapHref: string;
}

export interface WifiContent {
  kind: 'wifi';
  networkName: string;
  password: string;
  security: 'WPA' | 'WEP' | 'WPA2-EAP' | 'none';
  isHidden: boolean;
  /** The user name of an enterprise network. */
  identity?: string;
  /** The normalized payload, for phones that join from it. */
  payload: string;
}

export interface ContactContent {
  kind: 'contact';
  name: string;
  organization: string;
  title: string;
  /** Without `href` where it cannot be dialed, mailed or opened: it is still shown. */
  phones: { number: string; href?: string; label: string }[];
  emails: { address: string; href?: string; label: string }[];
  links: { text: string; href?: string }[];
  /** Each as lines. */
  addresses: string[][];
  birthday: string;
  note: string;
  /** The file to save: a valid vCard with CRLF line ends and folded lines. */
  vcf: string;
}

export interface TextContent {
  kind: 'text';
  text: string;
}
