import type { Context } from 'koa';
import { unblockAccount } from '../../../accounts/account-blocks.ts';
import { recordAction } from '../../../accounts/operator-actions.ts';
import { listBlocks, removeBlock } from '../../../codes/blocks.ts';
import { field } from '../../middleware/forms.ts';
import type { FormState } from '../../ui/controls.tsx';
import { readFlash, redirectWithFlash } from '../../ui/flash.ts';
import { type PageParts, show, userOf, visitorOf } from '../../ui/page.ts';
import { normalizeReason, queryText, reasonErrors } from '../admin-input.ts';
import { createAddBlock } from './add-block.ts';
import { blockKinds, BlocksView } from './blocks-view.tsx';
import { createRoutes, type Routes } from '../../routes.ts';

const blocksPerPage = 50;
const maxPages = 1_000;
const maxValueLength = 2_000;
const flashTexts = {
  added: 'The block was added. It takes effect within 10 seconds.',
  known: 'This is already blocked. The existing block was not changed.',
  removed: 'The block was removed. Codes work again within 10 seconds, unless another block applies.',
  gone: 'This block no longer exists.',
};
type BlocksFlash = keyof typeof flashTexts;

/** Codes, hosts and accounts that operators took down. */
export function blocksPages(parts: PageParts): Routes {
  const { db, now } = parts;
  const routes = createRoutes('/admin/blocks');
  const addBlock = createAddBlock(parts);

  async function showBlocks(ctx: Context, refused?: FormState): Promise<void> {
    const flash = readFlash(ctx, parts, flashTexts);
    const text = queryText(ctx, 'q');
    const page = Math.min(maxPages, Math.max(1, Number.parseInt(queryText(ctx, 'page'), 10) || 1));
    const found = await listBlocks(db, {
      text,
      order: 'desc',
      limit: blocksPerPage + 1,
      offset: (page - 1) * blocksPerPage,
    });
    const address = (more: Record<string, string>) => {
      const query = new URLSearchParams({ ...(text && { q: text }), ...more }).toString();
      return query ? `/admin/blocks?${query}` : '/admin/blocks';
    };
    show(
      ctx,
      BlocksView,
      {
        visitor: visitorOf(ctx, parts),
        blocks: found.slice(0, blocksPerPage),
        text,
        form: refused ?? { values: { kind: 'host' }, errors: [] },
        flash: flash && flashTexts[flash],
        firstPage: page > 1 ? address({}) : undefined,
        nextPage: found.length > blocksPerPage ? address({ page: String(page + 1) }) : undefined,
      },
      refused ? 400 : 200,
    );
  }

  routes.get('operator', '/', (ctx) => showBlocks(ctx));

  routes.post('operator', '/', async (ctx) => {
    const kind = blockKinds.find(([name]) => name === field(ctx, 'kind'))?.[0];
    const value = field(ctx, 'value').slice(0, maxValueLength).trim();
    const reason = normalizeReason(field(ctx, 'reason'));
    const topLevel = field(ctx, 'topLevel');
    const refuse = (errors: FormState['errors']) =>
      showBlocks(ctx, { values: { kind: kind ?? 'host', value, reason, topLevel }, errors });
    const errors = reasonErrors(reason);
    if (!kind) errors.push({ field: 'kind', message: 'must be a host, a code or an account' });
    if (errors.length > 0 || !kind) return refuse(errors);
    const added = await addBlock(userOf(ctx).id, { kind, value, reason, isTopLevelMeant: topLevel === 'on' });
    if ('errors' in added) return refuse(added.errors);
    const flash: BlocksFlash = added.isNew ? 'added' : 'known';
    redirectWithFlash(ctx, parts, '/admin/blocks', flash);
  });

  routes.post('operator', '/remove', async (ctx) => {
    const kind = blockKinds.find(([name]) => name === field(ctx, 'kind'))?.[0];
    const value = field(ctx, 'value').slice(0, maxValueLength).replaceAll('\0', '').toWellFormed();
    const isRemoved =
      kind !== undefined &&
      (await db.transaction(async (transaction) => {
        const wasBlocked =
          kind === 'account'
            ? await unblockAccount(transaction, value)
            : await removeBlock(transaction, kind, value);
        if (wasBlocked)
          await recordAction(
            transaction,
            { operatorId: userOf(ctx).id, action: `${kind}.unblock`, target: value },
            now(),
          );
        return wasBlocked;
      }));
    const flash: BlocksFlash = isRemoved ? 'removed' : 'gone';
    redirectWithFlash(ctx, parts, '/admin/blocks', flash);
  });
  return routes;
}
