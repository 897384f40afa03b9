import type { Context } from 'koa';
import type { FunctionComponent } from 'preact';
import { validate as isUuid } from 'uuid';
import { normalizeLabel } from '../../../codes/label.ts';
import {
  type TrashKey,
  countTrashedCodes,
  deleteTrashedCode,
  deleteTrashedCodes,
  emptyTrash,
  findTrashedCodes,
  readTrash,
  requireTrashedCode,
  restoreCode,
  restoreCodes,
} from '../../../codes/trash.ts';
import { findDeletions } from '../../../history/deletions.ts';
import { field } from '../../middleware/forms.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import type { Services } from '../../services.ts';
import type { FormState } from '../../ui/controls.tsx';
import { queryText } from '../../ui/form.ts';
import { createPages, redirect } from '../../ui/page.ts';
import { flashTexts } from '../code-flash.ts';
import { codePicture, onPaper, sendPicture } from '../picture-routes.ts';
import {
  DeleteForGoodView,
  DeleteSelectedView,
  EmptyTrashView,
  TrashView,
  confirmWord,
  selectName,
} from './trash-view.tsx';

const codesPerPage = 20;

/** The codes that an account has deleted, for as long as they can be restored. */
export function trashPages(parts: Services): Routes {
  const { db, reads, config, images, codeChanged } = parts;
  const routes = createRoutes('/codes/trash');
  const pages = createPages(parts, flashTexts);
  const idOf = (ctx: Context) => String(ctx['params'].id);
  const trashedCode = (ctx: Context) => requireTrashedCode(db, workspaceIdOf(ctx), idOf(ctx));

  routes.get('viewer or demo', '/', async (ctx) => {
    const workspaceId = workspaceIdOf(ctx);
    const position = {
      after: readKey(queryText(ctx, 'after')),
      before: readKey(queryText(ctx, 'before')),
    };
    const { total, codes, hasPrevious, hasNext } = await reads.codes(workspaceId, async (from) => ({
      total: await countTrashedCodes(from, workspaceId),
      ...(await readTrash(from, workspaceId, { limit: codesPerPage, ...position })),
    }));
    // The codes of this page have been restored or deleted.
    if (codes.length === 0 && position.after) return redirect(ctx, trashPath);
    const [first, last] = [codes[0], codes.at(-1)];
    const ids = codes.map(({ id }) => id);
    pages.show(ctx, TrashView, {
      codes,
      deletions: await findDeletions(db, workspaceId, ids),
      total,
      firstPage: hasPrevious ? trashPath : undefined,
      previousPage: hasPrevious && first ? `${trashPath}?before=${keyText(first)}` : undefined,
      nextPage: hasNext && last ? `${trashPath}?after=${keyText(last)}` : undefined,
    });
  });

  routes.get('viewer or demo', '/:id/picture.svg', async (ctx) => {
    const picture = await codePicture({ db, config }, await trashedCode(ctx), false);
    ctx.set('Cache-Control', 'private, no-cache');
    await sendPicture(ctx, images, onPaper(picture));
  });

  routes.post('editor', '/restore', async (ctx) => {
    const codes = await restoreCodes(db, workspaceIdOf(ctx), selectedIds(ctx), config.limits);
    for (const { shareToken } of codes) codeChanged(shareToken);
    pages.redirectWithFlash(ctx, trashPath, codes.length > 0 ? 'restoredSeveral' : 'noneSelected');
  });

  /** Asks first: the boxes are sent again with the answer. */
  routes.post('editor', '/delete', async (ctx) => {
    const workspaceId = workspaceIdOf(ctx);
    const ids = selectedIds(ctx);
    const codes = await findTrashedCodes(db, workspaceId, ids);
    if (codes.length === 0) return pages.redirectWithFlash(ctx, trashPath, 'noneSelected');
    const refusal = 'confirmation' in formOf(ctx) ? notTheWord : undefined;
    if (!isConfirmed(ctx)) return showQuestion(ctx, DeleteSelectedView, { codes }, refusal);
    const deleted = await deleteTrashedCodes(db, workspaceId, ids);
    pages.redirectWithFlash(ctx, trashPath, deleted > 0 ? 'deletedSeveral' : 'noneSelected');
  });

  routes.post('editor', '/:id/restore', async (ctx) => {
    const code = await restoreCode(db, workspaceIdOf(ctx), idOf(ctx), config.limits);
    codeChanged(code.shareToken);
    pages.redirectWithFlash(ctx, `/codes/${code.id}`, 'restored');
  });

  routes.get('editor', '/:id/delete', async (ctx) => {
    showQuestion(ctx, DeleteForGoodView, { code: await trashedCode(ctx) });
  });

  routes.post('editor', '/:id/delete', async (ctx) => {
    const code = await trashedCode(ctx);
    const isName = collapseSpaces(field(ctx, 'confirmation')) === collapseSpaces(code.name);
    if (!isName) return showQuestion(ctx, DeleteForGoodView, { code }, 'This is not the name of the code');
    await deleteTrashedCode(db, code.workspaceId, code.id);
    pages.redirectWithFlash(ctx, trashPath, 'deletedForGood');
  });

  routes.get('editor', '/empty', async (ctx) => {
    const total = await countTrashedCodes(db, workspaceIdOf(ctx));
    showQuestion(ctx, EmptyTrashView, { total });
  });

  routes.post('editor', '/empty', async (ctx) => {
    const workspaceId = workspaceIdOf(ctx);
    if (!isConfirmed(ctx)) {
      const total = await countTrashedCodes(db, workspaceId);
      return showQuestion(ctx, EmptyTrashView, { total }, notTheWord);
    }
    await emptyTrash(db, workspaceId);
    pages.redirectWithFlash(ctx, trashPath, 'emptied');
  });

  /** What is deleted for good is typed first: nothing brings it back. */
  function showQuestion<Props extends object>(
    ctx: Context,
    View: FunctionComponent<Props & { form: FormState }>,
    props: Props,
    refusal?: string,
  ): void {
    const form: FormState = {
      values: { confirmation: field(ctx, 'confirmation') },
      errors: refusal === undefined ? [] : [{ field: 'confirmation', message: refusal }],
    };
    pages.show(ctx, View, { ...props, form }, { status: refusal === undefined ? 200 : 400 });
  }
  return routes;
}

const trashPath = '/codes/trash';

/** As a browser shows it: people copy the name from the page. */
const collapseSpaces = (text: string) => normalizeLabel(text.replace(/\s+/g, ' '));

const notTheWord = `Type “${confirmWord}”`;
const isConfirmed = (ctx: Context) =>
  collapseSpaces(field(ctx, 'confirmation')).toLowerCase() === confirmWord;

const formOf = (ctx: Context) => (ctx.request.body ?? {}) as Record<string, string>;

/** A field for each box, because a field that is sent twice is ignored. */
function selectedIds(ctx: Context): string[] {
  return Object.keys(formOf(ctx))
    .filter((name) => name.startsWith(selectName('')))
    .map((name) => name.slice(selectName('').length))
    .filter((id) => isUuid(id));
}

/** An invalid key means the first page. */
function readKey(text: string): TrashKey | undefined {
  const [, time, id = ''] = /^(\d{1,15})-(.*)$/.exec(text) ?? [];
  return time !== undefined && isUuid(id) ? { trashedAt: new Date(Number(time)), id } : undefined;
}

function keyText({ trashedAt, id }: TrashKey): string {
  return `${trashedAt.getTime()}-${id}`;
}
