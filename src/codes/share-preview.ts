import type { PageLook } from './page-look.ts';
import type { CodeType } from './content/content-types.ts';

/** A code that may not be saved yet. */
export interface PreviewInput {
  name: string;
  type: CodeType;
  content: string;
  look: PageLook;
  acceptLanguage: string | undefined;
  /** Allows the style of the page in the one that shows the preview. */
  styleNonce: string;
  pictures: PreviewPictures;
}

/** `data:` URLs: a preview cannot load what only its owner may see. */
export interface PreviewPictures {
  /** The code that joins a Wi-Fi network. */
  join?: string | undefined;
  /** Of a contact. */
  photo?: string | undefined;
  logo?: { src: string; alt: string } | undefined;
}

/** What a phone shows after a scan: another site, or a page of ours. Undefined while there is no content. */
export type SharePreview = { href: string } | { page: string } | undefined;

export type PreviewShare = (input: PreviewInput) => SharePreview;
