import { contentKind, parseContent } from './content/content-types.ts';
import { opensFile } from './files/upload.ts';
import type { QrCode } from './qr-code.ts';

type Named = Pick<QrCode, 'name' | 'pageShowsName'>;
type Titled = Named & Pick<QrCode, 'type' | 'content' | 'shareToken' | 'pageTitle'>;

/** The name as far as strangers may see it: codes of earlier releases and of the API show it, unless their owner chose otherwise. */
export function publicName({ name, pageShowsName }: Named): string {
  return pageShowsName === false ? '' : name;
}

export interface PrintedTitle {
  /** Empty where there is nothing to print but the name, which is not public. */
  title: string;
  /** The role of a contact, or empty. */
  subtitle: string;
}

/** What posters, cards and labels say about a code: the title of its owner, else what the content says itself. */
export function printedTitle(code: Titled): PrintedTitle {
  const parsed = parseContent(code.type, code.content);
  const { title, subtitle, heading, printed = heading } = contentKind(parsed.kind);
  // The address of a file is on our host, which says nothing about it.
  const own = opensFile(code) ? '' : (printed?.(parsed) ?? '');
  return {
    title: code.pageTitle ?? (title?.(parsed) || publicName(code) || own),
    subtitle: subtitle?.(parsed) ?? '',
  };
}
