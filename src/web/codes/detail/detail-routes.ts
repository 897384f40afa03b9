import type { Context } from 'koa';
import { validate as isUuid } from 'uuid';
import { abuseHref, shareUrl } from '../../../codes/share-token.ts';
import { isCodeBlocked } from '../../../codes/blocks.ts';
import { findCode } from '../../../codes/codes.ts';
import { hasDefaultEnd, secondHalfOf } from '../../../codes/lifetime.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { codeWarnings } from '../../../codes/scannability.ts';
import { findTrashedCode } from '../../../codes/trash.ts';
import { AppError } from '../../../errors.ts';
import { versionsOf } from '../../../history/changes.ts';
import { readDestinationChanges } from '../../../history/destination-changes.ts';
import { attachment } from '../../../http/file-headers.ts';
import { firstNoticeDays } from '../../../notices/facts.ts';
import { dayMs } from '../../../runtime/units.ts';
import { readAnalyticsOn, readDailyScans, readTopCities } from '../../../scans/analytics.ts';
import { listScans, scanCsvColumns } from '../../../scans/scan.ts';
import type { Database } from '../../../store/database.ts';
import { accessOf, callerAddress, callerOf, downloaderOf } from '../../middleware/caller.ts';
import { TrashedCodeView } from '../trash/trash-view.tsx';
import { CodeView } from './detail-view.tsx';
import { toScanLine } from './scan-line.tsx';
import { proveDefaultStyle } from '../../../codes/styles/default-style.ts';
import { csvLine } from '../../../formats/csv.ts';
import type { Caller } from '../../../runtime/fair-scheduler.ts';
import { type CodeFlash, flashTexts } from '../code-flash.ts';
import { expiresInWords } from '../code-state.tsx';
import { createCodeEvents } from './code-events.ts';
import { createLiveScans, scansPerPage } from './live-scans.tsx';
import { type Period, namedPeriods, readPeriod, rollingDays, rollingPeriod } from './period.ts';
import type { Services } from '../../services.ts';
import { createPages } from '../../ui/page.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import type { CodeProps } from './code-side.tsx';

const maxCities = 20;

/** The page of a code, its live updates, and its scans as CSV. */
export function codeDetailPages(parts: Services): Routes {
  const { db, reads, config, secrets, closing, now } = parts;
  const routes = createRoutes();
  const pages = createPages(parts, flashTexts);
  const events = createCodeEvents(createLiveScans({ db, reads }, now), closing);
  const ownCode = (ctx: Context) => findCode(db, workspaceIdOf(ctx), ctx.params['id'] as string);

  async function showCode(ctx: Context): Promise<void> {
    const code = await ownCode(ctx);
    const period = readPeriod(ctx.query, code.createdAt, now());
    const before = isUuid(ctx.query['before']) ? String(ctx.query['before']) : undefined;
    const [from = '', to = ''] = [period.dates[0], period.dates.at(-1)];
    const [isBlocked, changedDays, [latestChange], { analytics, cities, previousScans, scans }] =
      await Promise.all([
        isCodeBlocked(db, code),
        readDestinationChanges(db, code, { from, to }),
        versionsOf(db, code, { limit: 1 }),
        reads.scans(code.id, (replica) => readScansOf(replica, code, period, before)),
      ]);
    const address = shareUrl(config.baseUrl, code.shareToken);
    const key = pages.takeFlash(ctx);
    const flash = key === 'createdPlain' ? flashTexts[key] + (await whyPlain(code)) : undefined;
    const isExpired = code.expiresAt <= now();
    const isRenewed = !isExpired && hasDefaultEnd(code, config.qrCodeLifetimeDays);
    const props: CodeProps = {
      code,
      isExpired,
      expiresIn: expiresInWords(code.expiresAt, now()),
      isExpiring: !isExpired && code.expiresAt.getTime() - now().getTime() <= firstNoticeDays * dayMs,
      renewedFrom: isRenewed ? secondHalfOf(code.expiresAt, config.qrCodeLifetimeDays) : undefined,
      isBlocked,
      abuseContact: config.abuseContact,
      abuseHref: abuseHref(config.abuseContact, address),
      address,
      warnings: codeWarnings(code, address),
      here: `/codes/${code.id}?${period.query}${before ? `&before=${before}` : ''}`,
      period,
      rolling: rollingDays.map((days) => rollingPeriod(days, now())),
      named: namedPeriods(code.createdAt, now()),
      analytics,
      cities,
      changedDays,
      latestChange,
      now: now(),
      previousScans,
      geoSource: parts.geoSource,
      scans: scans.slice(0, scansPerPage).map(toScanLine),
      isFirstPage: before === undefined,
      wasMadePrivate: key === 'private',
      olderThan: scans.length > scansPerPage ? scans[scansPerPage - 1]?.id : undefined,
    };
    const undo = key && restorePaths[key];
    pages.show(ctx, CodeView, props, { flash, undo: undo && `/codes/${code.id}/${undo}` });
  }

  /** A code in the trash is missing like any other, but its owner can restore it. */
  async function showTrashed(ctx: Context, error: unknown): Promise<void> {
    const isMissing = error instanceof AppError && error.code === 'not_found';
    const code = isMissing && (await findTrashedCode(db, workspaceIdOf(ctx), String(ctx.params['id'])));
    if (!code) throw error;
    pages.show(ctx, TrashedCodeView, { code }, { status: 404 });
  }

  /** Proven again for this one page: the proof is cached where the code was created. */
  async function whyPlain(code: QrCode): Promise<string> {
    const { refused = [] } = await proveDefaultStyle(parts, code, { mayRaise: true });
    if (refused.length === 0)
      return ' Apply it later: too many codes wait for a template, or it was changed meanwhile.';
    const reasons = refused.map(({ field, message }) => ` ${field} ${message}.`);
    return ` Phones could not read it on this code:${reasons.join('')}`;
  }

  async function readScansOf(
    from: Database,
    code: QrCode,
    { dates, days }: Period,
    before: string | undefined,
  ) {
    const { id: codeId } = code;
    const analytics = await readAnalyticsOn(from, codeId, dates);
    const [first = '', last = ''] = [dates[0], dates.at(-1)];
    const wasThere = days !== undefined && code.createdAt.getTime() <= now().getTime() - 2 * days * dayMs;
    const [cities, scans, previousScans] = await Promise.all([
      readTopCities(from, codeId, { from: first, to: last }, maxCities),
      listScans(from, codeId, { limit: scansPerPage, cursor: before }),
      wasThere ? readPreviousScans(from, codeId, days) : undefined,
    ]);
    return { analytics, cities, previousScans, scans };
  }

  /** Scans in the preceding period of the same length. */
  async function readPreviousScans(from: Database, codeId: string, days: number): Promise<number> {
    const daily = await readDailyScans(from, [codeId], 2 * days, now());
    return (daily.get(codeId) ?? []).slice(0, days).reduce((sum, scans) => sum + scans, 0);
  }

  async function streamEvents(ctx: Context): Promise<void> {
    const code = await ownCode(ctx);
    const address = secrets.hashAddress(callerAddress(ctx, config.trustProxyHops));
    const request = { id: code.id, viewer: callerOf(ctx).key, address };
    const access = accessOf(ctx);
    events.stream(ctx, request, (end) => parts.access.watch(access, end));
  }

  async function sendCsv(ctx: Context): Promise<void> {
    const code = await ownCode(ctx);
    const caller = downloaderOf(ctx);
    const body = await parts.downloads.stream(caller, async () => scansCsv(parts, caller, code.id));
    ctx.type = 'text/csv; charset=utf-8';
    ctx.set('Content-Disposition', attachment(`${code.name} scans`, 'csv', 'scans'));
    ctx.body = body;
  }

  routes.get('viewer or demo', '/codes/:id', async (ctx) =>
    showCode(ctx).catch((error: unknown) => showTrashed(ctx, error)),
  );
  routes.get('viewer or demo', '/codes/:id/events', streamEvents);
  routes.get('viewer or demo', '/codes/:id/scans.csv', sendCsv);
  return routes;
}

/** What undoes the action of a message. */
const restorePaths: Partial<Record<CodeFlash, string>> = {
  savedWithoutFile: 'file/restore',
  savedWithoutPhoto: 'photo/restore',
};

const scansPerRead = 1_000;

/** All scans as CSV (RFC 4180), newest first, read in batches. The byte order mark tells spreadsheets that it is UTF-8. */
async function* scansCsv(
  { reads, downloads }: Pick<Services, 'reads' | 'downloads'>,
  caller: Caller,
  codeId: string,
): AsyncGenerator<string> {
  yield `\uFEFF${scanCsvColumns.join(',')}\r\n`;
  for (let cursor: string | undefined; ; ) {
    const page = { limit: scansPerRead, cursor };
    const read = await downloads.read(caller, () => reads.scans(codeId, (db) => listScans(db, codeId, page)));
    const scans = read.slice(0, scansPerRead);
    if (scans.length > 0)
      yield scans.map((scan) => csvLine(scanCsvColumns.map((column) => scan[column]))).join('');
    if (read.length <= scansPerRead) return;
    cursor = scans.at(-1)?.id;
  }
}
