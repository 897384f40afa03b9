import type { Context } from 'koa';
import { validate as isUuid } from 'uuid';
import { findBlockedCodes, readHosts } from '../../../codes/blocks.ts';
import { type CodeChanges, findCode, updateCode } from '../../../codes/codes.ts';
import { endColumns } from '../../../codes/lifetime.ts';
import {
  type CodeSearch,
  type PageKey,
  type PagePlace,
  countCodes,
  listCategories,
  searchCodes,
} from '../../../codes/search-codes.ts';
import { readDailyScans, readScanCounts } from '../../../scans/analytics.ts';
import type { Database } from '../../../store/database.ts';
import { field } from '../../middleware/forms.ts';
import { queryText } from '../../ui/form.ts';
import { createPages, redirect } from '../../ui/page.ts';
import type { Services } from '../../services.ts';
import { membershipOf, workspaceIdOf } from '../../middleware/session.ts';
import {
  type PageSize,
  type Search,
  codeSearchOf,
  defaultPageSize,
  pageSizes,
  readPageSize,
  readSearch,
  searchParameters,
} from './list-search.ts';
import { CodesView } from './list-view.tsx';
import { expiresInWords } from '../code-state.tsx';
import { type CodeFlash, flashTexts } from '../code-flash.ts';
import { ExpireCodeView, starHtml } from '../code-actions.tsx';
import { type Routes, createRoutes } from '../../routes.ts';
import type { Membership } from '../../../workspaces/members.ts';
import type { WorkspaceId } from '../../../workspaces/workspace.ts';

const sparklineDays = 30;

const joinedText = (membership: Membership | undefined) =>
  membership &&
  `You joined ${membership.workspace.name} as ${membership.role === 'viewer' ? 'a' : 'an'} ${membership.role}.`;

/** The list of an account's codes, with search, favorites and visibility. */
export function codeListPages(parts: Services): Routes {
  const { db, reads, config, now, codeChanged } = parts;
  const routes = createRoutes('/codes');
  const pages = createPages(parts, flashTexts);

  routes.get('viewer or demo', '/', async (ctx) => {
    const workspaceId = workspaceIdOf(ctx);
    const search = readSearch(ctx);
    const size = readPageSize(ctx);
    const address = (place?: PagePlace) => listAddress(search, size, place);
    const wanted = codeSearchOf(search, now());
    const position = {
      after: readPageKey(queryText(ctx, 'after')),
      before: readPageKey(queryText(ctx, 'before')),
    };
    const found = await reads.codes(workspaceId, (from) =>
      readList(from, workspaceId, wanted, { limit: size, ...position }),
    );
    const { page, counts, daily, categories, total } = found;
    const { codes } = page;
    // The codes of this page have been deleted or moved to other pages.
    if (codes.length === 0 && position.after) return redirect(ctx, address());
    // On the primary, because it may store the hosts of codes of an older release.
    const blocked = await findBlockedCodes(db, await readHosts(db, codes));
    const [first, last] = [codes[0], codes.at(-1)];
    const deleted = queryText(ctx, 'deleted');
    const flash = pages.takeFlash(ctx);
    const canUndo = flash === 'deleted' && isUuid(deleted);
    const props = {
      workspaceId,
      rows: codes.map((code) => ({
        code,
        isExpired: code.expiresAt <= now(),
        expiresIn: expiresInWords(code.expiresAt, now()),
        isBlocked: blocked.has(code.id),
        scans: counts.get(code.id) ?? 0,
        daily: daily.get(code.id) ?? Array<number>(sparklineDays).fill(0),
      })),
      search,
      categories,
      total,
      size,
      sizes: pageSizes.map((each) => ({ size: each, path: listAddress(search, each) })),
      here: address(position),
      firstPage: page.hasPrevious ? address() : undefined,
      previousPage: page.hasPrevious && first ? address({ before: first }) : undefined,
      nextPage: page.hasNext && last ? address({ after: last }) : undefined,
    };
    pages.show(ctx, CodesView, props, {
      undo: canUndo ? `/codes/trash/${deleted}/restore` : undefined,
      flash: flash === 'joined' ? joinedText(membershipOf(ctx)) : undefined,
    });
  });

  async function readList(
    from: Database,
    workspaceId: WorkspaceId,
    wanted: CodeSearch,
    part: PagePlace & { limit: number },
  ) {
    const page = await searchCodes(from, workspaceId, wanted, part);
    const ids = page.codes.map(({ id }) => id);
    // Counting reads all codes of the account where the search is for a text.
    const isWhole = !page.hasPrevious && !page.hasNext;
    const [counts, daily, categories, total] = await Promise.all([
      readScanCounts(from, ids),
      readDailyScans(from, ids, sparklineDays, now()),
      listCategories(from, workspaceId),
      isWhole ? page.codes.length : countCodes(from, workspaceId, wanted),
    ]);
    return { page, counts, daily, categories, total };
  }

  routes.post('editor', '/:id/favorite', async (ctx) => {
    const isFavorite = field(ctx, 'isFavorite') === 'true';
    await change(ctx, { isFavorite }, isFavorite ? 'marked' : 'unmarked');
  });

  routes.post('editor', '/:id/visibility', async (ctx) => {
    const isPublic = field(ctx, 'isPublic') === 'true';
    await change(ctx, { isPublic }, isPublic ? 'public' : 'private');
  });

  /** The default lifetime from now on, also for a code that has expired. */
  routes.post('editor', '/:id/renew', async (ctx) => {
    await change(ctx, endColumns(null, config.qrCodeLifetimeDays, now()), 'renewed');
  });

  routes.get('editor', '/:id/expire', async (ctx) => {
    const code = await findCode(db, workspaceIdOf(ctx), String(ctx['params'].id));
    if (code.expiresAt <= now()) return redirect(ctx, `/codes/${code.id}`);
    pages.show(ctx, ExpireCodeView, { code });
  });

  routes.post('editor', '/:id/expire', async (ctx) => {
    const changes = endColumns(now(), config.qrCodeLifetimeDays, now());
    await change(ctx, changes, 'expired', `/codes/${String(ctx['params'].id)}`);
  });

  async function change(
    ctx: Context,
    changes: CodeChanges,
    flash: CodeFlash,
    back = field(ctx, 'back'),
  ): Promise<void> {
    const code = await findCode(db, workspaceIdOf(ctx), String(ctx['params'].id));
    await updateCode(db, code, changes, now());
    codeChanged(code.shareToken);
    // star.browser.js updates the page itself.
    if (ctx.accepts('html', 'json') === 'json')
      ctx.body = { message: flashTexts[flash], star: starHtml({ ...code, ...changes }) };
    else pages.redirectWithFlash(ctx, safeListPath(back), flash);
  }
  return routes;
}

/** An invalid key means the first page. */
function readPageKey(text: string): PageKey | undefined {
  const [, favorite, id = ''] = /^([01])-(.*)$/.exec(text) ?? [];
  return favorite !== undefined && isUuid(id) ? { isFavorite: favorite === '1', id } : undefined;
}

function keyText({ isFavorite, id }: PageKey): string {
  return `${isFavorite ? 1 : 0}-${id}`;
}

function listAddress(search: Search, size: PageSize, { after, before }: PagePlace = {}): string {
  const query = new URLSearchParams({
    ...searchParameters(search),
    ...(size !== defaultPageSize && { perPage: String(size) }),
    ...(after && { after: keyText(after) }),
    ...(before && { before: keyText(before) }),
  }).toString();
  return query ? `/codes?${query}` : '/codes';
}

/** The list with its search and row, or the page of a code. Never another site. */
function safeListPath(back: string): string {
  return /^\/codes(?:\/[\w-]+)?(?:\?[\w%&=.+*-]*)?(?:#code-[\w-]+)?$/.test(back) ? back : '/codes';
}
