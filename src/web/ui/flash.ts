import type { Context } from 'koa';
import { redirect, type PageParts } from './page.ts';

/** On to a page that says once what was done. A word goes along, so that nobody can put sentences of their own there. */
export function redirectWithFlash(ctx: Context, { sessions }: PageParts, path: string, word: string): void {
  sessions.setFlash(ctx, path.split(/[?#]/)[0] ?? '', word);
  redirect(ctx, path);
}

/** The word for this page, if it is one of those that it knows. */
export function readFlash<Word extends string>(
  ctx: Context,
  { sessions }: PageParts,
  texts: Record<Word, string>,
): Word | undefined {
  const word = sessions.takeFlash(ctx);
  return word !== undefined && Object.hasOwn(texts, word) ? (word as Word) : undefined;
}
