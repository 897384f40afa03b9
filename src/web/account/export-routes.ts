import { cancelExport, findExport, readExport, requestExport } from '../../accounts/account-exports.ts';
import { takeAttempt } from '../../accounts/request-windows.ts';
import { AppError, BusyError } from '../../errors.ts';
import { attachment } from '../../http/file-headers.ts';
import { callerOf } from '../middleware/caller.ts';
import { redirectWithFlash } from '../ui/flash.ts';
import { type PageParts, userOf } from '../ui/page.ts';
import type { AccountFlash } from './account-flash.ts';
import { createRoutes, type Routes } from '../routes.ts';

const maxExportsPerHour = 3;

/** Asks for the archive of an account's data, and sends it to its owner. */
export function exportPages(parts: PageParts): Routes {
  const { db, buildExport, downloads, log, now } = parts;
  const routes = createRoutes();

  routes.post('user', '/account/export', async (ctx) => {
    const { id: userId } = userOf(ctx);
    const limit = { subject: `export:${userId}`, maxPerHour: maxExportsPerHour };
    const { isAllowed } = await takeAttempt(db, limit);
    const requestId = isAllowed ? await requestExport(db, userId, now()) : undefined;
    if (requestId)
      await buildExport({ userId, requestId }).catch(async (cause: unknown) => {
        log.warn({ err: cause }, 'an export could not be queued');
        await cancelExport(db, userId, requestId);
        throw new BusyError('Exports cannot be made at the moment. Try again in a minute.', {
          retryAfterSeconds: 60,
          cause,
        });
      });
    const flash: AccountFlash = isAllowed ? 'export' : 'tooManyExports';
    redirectWithFlash(ctx, parts, '/account', flash);
  });

  routes.get('user', '/account/export.zip', async (ctx) => {
    const { id: userId } = userOf(ctx);
    const found = await findExport(db, userId, now());
    if (found?.state !== 'ready')
      throw new AppError(
        'not_found',
        'There is no export to download. Ask for a new one on the page Account.',
      );
    const caller = callerOf(ctx);
    const read = <Value>(work: () => Promise<Value>) => downloads.read(caller, work);
    const body = await downloads.stream(caller, async () => readExport(db, userId, read));
    ctx.type = 'application/zip';
    ctx.length = found.bytes;
    ctx.set('Content-Disposition', attachment('qrelay-export', 'zip', 'export'));
    ctx.body = body;
  });
  return routes;
}
