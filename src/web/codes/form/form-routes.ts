import type { Context } from 'koa';
import { isCodeBlocked } from '../../../codes/blocks.ts';
import { type CodeChanges, changeCode, findCode } from '../../../codes/codes.ts';
import { pageLookChanges } from '../../../codes/share-page.ts';
import { fileKindOf, removeFile } from '../../../codes/files/removed-file.ts';
import { type CodeFile, findFile } from '../../../codes/files/stored-file.ts';
import { trashCode } from '../../../codes/trash.ts';
import { undoDays } from '../../../codes/undo-period.ts';
import { withDefaultEnd } from '../../../codes/lifetime.ts';
import type { CodeType } from '../../../codes/content/content-types.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { AppError } from '../../../errors.ts';
import type { Database } from '../../../store/database.ts';
import { compileValidator, findErrors } from '../../../codes/validation.ts';
import {
  changedCodeRules,
  endingBody,
  endingChanges,
  endingRules,
  pageBody,
  patchBody,
} from '../../../codes/code-rules.ts';
import { spendForm } from '../../ui/form.ts';
import { field } from '../../middleware/forms.ts';
import { CodeFormView, DeleteCodeView } from './form-view.tsx';
import { duplicateCode } from './duplicate-code.ts';
import type { CodeFlash } from '../code-flash.ts';
import {
  type Values,
  changedBody,
  changedEnding,
  changedPage,
  endingErrorsOf,
  pageErrors,
  readForm,
  shownErrors,
  typeOf,
  valuesOf,
} from './form-body.ts';
import { editVersion, mergeEdit, switchForm } from './edit-merge.ts';
import { formPreview, previewNonce } from './form-preview.ts';
import { policyWithPreview } from '../../middleware/headers.ts';
import type { FormError } from '../../ui/controls.tsx';
import type { Services } from '../../services.ts';
import { redirect, redirectWithFlash, show, visitorOf } from '../../ui/page.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { type Routes, createRoutes } from '../../routes.ts';

export const notSaved = 'Not saved. Check the marked fields.';
const plainCopy = 'plain';
const blockedCopyError = 'This code was blocked for abuse and cannot be duplicated.';
const changeErrors = compileValidator(patchBody);
const endingErrors = compileValidator(endingBody);
const lookErrors = compileValidator(pageBody);

interface Filled {
  type: CodeType;
  code: QrCode;
  values: Values;
  isRaw: boolean;
  errors?: FormError[];
  /** Values that were saved since the form was opened, in fields that it changed too. */
  saved?: Values;
  /** Version of the form that was opened first, if this is the form for another type. */
  version?: string;
  /** The file that the code would lose: the owner has not confirmed it yet. */
  lost?: CodeFile | undefined;
}

/** Edit, duplicate and delete codes. */
export function codeFormPages(parts: Services): Routes {
  const { db, config, now, codeChanged } = parts;
  const routes = createRoutes('/codes');

  const ownCode = async (ctx: Context) =>
    withDefaultEnd(
      await findCode(db, workspaceIdOf(ctx), String(ctx['params'].id)),
      config.qrCodeLifetimeDays,
    );

  async function showForm(
    ctx: Context,
    { type, code, values, isRaw, errors = [], saved, version, lost }: Filled,
  ): Promise<void> {
    const visitor = visitorOf(ctx, parts);
    ctx.set('Content-Security-Policy', policyWithPreview(previewNonce(visitor.csrfToken)));
    show(
      ctx,
      CodeFormView,
      {
        visitor,
        type,
        code,
        isRaw,
        form: { values, errors, saved },
        error: errors.length > 0 ? notSaved : lost && lossText(lost),
        lost,
        version: version || editVersion(code, isRaw),
        shown: await formPreview(ctx, parts, { type, values, isRaw }, { csrfToken: visitor.csrfToken, code }),
        isCopy: 'copied' in ctx.query,
        isPlainCopy: ctx.query['copied'] === plainCopy,
      },
      isCheck(ctx) ? 200 : saved || lost ? 409 : errors.length > 0 ? 400 : 200,
    );
  }

  routes.get('editor or demo', '/:id/edit', async (ctx) => {
    const code = await ownCode(ctx);
    const form = { type: code.type, ...valuesOf(code) };
    await showForm(ctx, { ...switchForm(form, typeOf(ctx.query['type'], code.type), code), code });
  });

  routes.post('editor', '/:id/edit', async (ctx) => {
    if (isSwitch(ctx)) return showSwitched(ctx, await ownCode(ctx));
    const { id } = ctx['params'] as { id: string };
    let refused: Filled | undefined;
    let lost: CodeFile | undefined;
    const changedAt = now();
    const code = await changeCode(
      db,
      workspaceIdOf(ctx),
      id,
      async (stored, transaction) => {
        const edit = await readEdit(ctx, withDefaultEnd(stored, config.qrCodeLifetimeDays), transaction);
        ({ refused, lost } = edit);
        // Before the content changes: the database deletes a file that the code no longer leads to.
        if (lost) await removeFile(transaction, stored, lost.kind, changedAt);
        return edit.changes;
      },
      changedAt,
    );
    if (refused) return showForm(ctx, refused);
    codeChanged(code.shareToken);
    const flash: CodeFlash = lost ? savedWithout[lost.kind] : 'saved';
    redirectWithFlash(ctx, parts, `/codes/${code.id}`, flash);
  });

  async function showSwitched(ctx: Context, code: QrCode): Promise<void> {
    const form = switchForm(readForm(ctx, code.type), typeOf(ctx.query['type'], code.type), code);
    await showForm(ctx, { ...form, code, version: field(ctx, 'version') });
  }

  /** What the form changes in the stored code, or the form again where it cannot be saved. */
  async function readEdit(
    ctx: Context,
    code: QrCode,
    transaction: Database,
  ): Promise<{ changes: CodeChanges; refused?: Filled; lost?: CodeFile | undefined }> {
    const { type, values, isRaw, saved } = mergeEdit(code, readForm(ctx, code.type), field(ctx, 'version'));
    if (Object.keys(saved).length > 0) return { changes: {}, refused: { type, code, values, isRaw, saved } };
    const changes = changedBody(code, type, values, isRaw);
    const ending = changedEnding(code, values);
    const look = changedPage(code, values);
    const found = [
      ...(await findErrors(changeErrors, changes, changedCodeRules(transaction, code, config))),
      ...(await findErrors(endingErrors, ending, endingRules(transaction, config))),
      ...pageErrors(lookErrors(look)),
    ];
    const errors = [
      ...shownErrors(type, values, isRaw, found, 'content' in changes),
      ...endingErrorsOf(code, ending, now()),
    ];
    if (errors.length > 0 || isCheck(ctx))
      return { changes: {}, refused: { type, code, values, isRaw, errors } };
    const lost = await findLostFile(transaction, code, changes);
    if (lost && field(ctx, 'removesFile') !== lost.id)
      return {
        changes: {},
        refused: { type, code, values, isRaw, lost },
      };
    return {
      lost,
      changes: {
        ...changes,
        ...pageLookChanges(look),
        ...endingChanges(code, ending, config.qrCodeLifetimeDays, now()),
      },
    };
  }

  routes.post('editor', '/:id/duplicate', async (ctx) => {
    const code = await ownCode(ctx);
    if (await isCodeBlocked(db, code)) throw new AppError('validation_error', blockedCopyError);
    await spendForm(ctx, parts);
    const { copy, isPlain } = await duplicateCode(parts, code);
    redirect(ctx, `/codes/${copy.id}/edit?copied${isPlain ? `=${plainCopy}` : ''}`);
  });

  routes.get('editor', '/:id/delete', async (ctx) => {
    show(ctx, DeleteCodeView, { visitor: visitorOf(ctx, parts), code: await ownCode(ctx) });
  });

  /** Without a typed name: the list offers to undo it, and the trash keeps the code. */
  routes.post('editor', '/:id/delete', async (ctx) => {
    const code = await ownCode(ctx);
    await trashCode(db, code.workspaceId, code.id, config.limits);
    codeChanged(code.shareToken);
    redirectWithFlash(ctx, parts, `/codes?deleted=${code.id}`, 'deleted' satisfies CodeFlash);
  });
  return routes;
}

const savedWithout = { file: 'savedWithoutFile', photo: 'savedWithoutPhoto' } as const;

/** The file or photo that the code has and would not have with these changes. */
async function findLostFile(db: Database, code: QrCode, changes: CodeChanges): Promise<CodeFile | undefined> {
  const kind = fileKindOf(code);
  if (kind === undefined || fileKindOf({ ...code, ...changes }) === kind) return undefined;
  return findFile(db, code.id, kind);
}

function lossText({ kind, name }: CodeFile): string {
  const what = kind === 'file' ? `no longer opens ${name}` : 'no longer has its photo';
  return `Not saved yet. With this change, the code ${what}. Save again to remove the ${kind}. You can undo this for ${undoDays} days.`;
}

/** form-errors.browser.js validates a form without saving it. */
export function isCheck(ctx: Context): boolean {
  return ctx.method === 'POST' && 'check' in ctx.query;
}

/** form.browser.js sends what was typed along when another type is chosen. */
export function isSwitch(ctx: Context): boolean {
  return 'switch' in ctx.query;
}
