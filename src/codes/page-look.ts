import type { QrCode } from './qr-code.ts';

/** What the owner chose for the share page of a code. */
export interface PageLook {
  /** Shown instead of the name. */
  title: string | null;
  /** A line below the title. */
  text: string | null;
  /** #RRGGBB */
  color: string | null;
}

export function pageLookOf(code: Pick<QrCode, 'pageTitle' | 'pageText' | 'pageColor'>): PageLook {
  return { title: code.pageTitle, text: code.pageText, color: code.pageColor };
}

/** The columns to change. */
export function pageLookChanges({ title, text, color }: Partial<PageLook>) {
  return {
    ...(title !== undefined && { pageTitle: title }),
    ...(text !== undefined && { pageText: text }),
    ...(color !== undefined && { pageColor: color }),
  };
}
