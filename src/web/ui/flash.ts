import type { Context } from 'koa';
import { redirect, type PageParts } from './page.ts';

/** Redirects to a page that shows the message of `key` once. The cookie holds a key, so that nobody can inject a text. */
export function redirectWithFlash(ctx: Context, { sessions }: PageParts, path: string, key: string): void {
  sessions.setFlash(ctx, path.split(/[?#]/)[0] ?? '', key);
  redirect(ctx, path);
}

/** The key that was set for this page, if `texts` has it. */
export function readFlash<Key extends string>(
  ctx: Context,
  { sessions }: PageParts,
  texts: Record<Key, string>,
): Key | undefined {
  const key = sessions.takeFlash(ctx);
  return key !== undefined && Object.hasOwn(texts, key) ? (key as Key) : undefined;
}
