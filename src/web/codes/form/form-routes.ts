import Router from '@koa/router';
import type { Context } from 'koa';
import { isCodeBlocked } from '../../../codes/blocks.ts';
import {
  changeCode,
  type CodeChanges,
  createCode,
  deleteCode,
  defaultExpiry,
  findCode,
  type NewCode,
} from '../../../codes/codes.ts';
import { isAsTyped } from '../../../codes/content/content-fields.ts';
import { endOfDay } from '../../../codes/last-day.ts';
import { type CodeType, codeTypes, type QrCode } from '../../../codes/qr-code.ts';
import { AppError, type FieldError } from '../../../errors.ts';
import type { Database } from '../../../store/database.ts';
import { findErrors } from '../../api/check-body.ts';
import { changedCodeRules, newCodeRules, toStored } from '../../api/qr-code-rules.ts';
import { createBody, createDefaults, patchBody } from '../../api/qr-code-shapes.ts';
import { compileValidator } from '../../api/validation.ts';
import { field } from '../../middleware/forms.ts';
import { CodeFormView, DeleteCodeView } from './form-view.tsx';
import type { CodeFlash } from '../code-flash.ts';
import {
  changedBody,
  readLastDay,
  emptyValues,
  commonFields,
  newBody,
  readValues,
  shownErrors,
  type Values,
  valuesOf,
} from './form-body.ts';
import { type Design, designWarnings, previewPath } from '../picture-routes.ts';
import { editVersion, mergeEdit } from './edit-merge.ts';
import { redirect, needUser, type PageParts, show, userOf, visitorOf } from '../../ui/page.ts';
import { redirectWithFlash } from '../../ui/flash.ts';

const maxNameLength = 100;
const copySuffix = ' (copy)';
const notSaved = 'Not saved. Check the marked fields.';
const blockedCopyError = 'This code was blocked for abuse and cannot be duplicated.';
/** As a browser shows it: people copy the name from the page. */
const collapseSpaces = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim();
const newErrors = compileValidator(createBody);
const changeErrors = compileValidator(patchBody);

interface Filled {
  type: CodeType;
  code?: QrCode;
  values: Values;
  isRaw: boolean;
  errors?: FieldError[];
  /** Values that were saved since the form was opened, in fields that it changed too. */
  saved?: Values;
}

/** Create, edit, duplicate and delete codes. */
export function codeFormPages(parts: PageParts): Router {
  const { db, config, now, codeChanged } = parts;
  const router = new Router({ prefix: '/codes' });
  router.use(needUser);

  const ownCode = (ctx: Context) => findCode(db, userOf(ctx).id, String(ctx['params'].id));

  function showForm(ctx: Context, { type, code, values, isRaw, errors = [], saved }: Filled): void {
    const design = designOf(values);
    show(
      ctx,
      CodeFormView,
      {
        visitor: visitorOf(ctx, parts),
        type,
        code,
        isRaw,
        form: { values, errors, saved },
        problem: errors.length > 0 ? notSaved : undefined,
        version: code && editVersion(code, isRaw),
        warnings: designWarnings(design, config.baseUrl),
        preview: previewPath(design, code?.id),
        isCopy: ctx.query['copied'] === '',
      },
      isCheck(ctx) ? 200 : saved ? 409 : errors.length > 0 ? 400 : 200,
    );
  }

  router.get('/new', (ctx) => {
    const untilThen = defaultExpiry(config.qrCodeLifetimeDays, now());
    const values = { ...emptyValues(untilThen), ...valuesFromQuery(ctx.query) };
    showForm(ctx, { type: typeOf(ctx.query['type']), values, isRaw: false });
  });

  router.post('/new', async (ctx) => {
    const type = typeOf(field(ctx, 'type'));
    const values = readValues(ctx, type, false);
    const body = newBody(type, values);
    const found = await findErrors(newErrors, body, newCodeRules(db, config, now()));
    const { expiresAt, errors: ofEnd } = readLastDay(values, now());
    const errors = [...shownErrors(type, values, false, found, true), ...ofEnd];
    if (errors.length > 0 || isCheck(ctx)) return showForm(ctx, { type, values, isRaw: false, errors });
    const input = { ...(body as NewCode), ...(expiresAt && { expiresAt }) };
    const code = await createCode(db, userOf(ctx).id, input, config.qrCodeLifetimeDays, now());
    redirectWithFlash(ctx, parts, `/codes/${code.id}`, 'created' satisfies CodeFlash);
  });

  router.get('/:id/edit', async (ctx) => {
    const code = await ownCode(ctx);
    showForm(ctx, { type: code.type, code, ...valuesOf(code) });
  });

  router.post('/:id/edit', async (ctx) => {
    const { id } = ctx['params'] as { id: string };
    let refused: Filled | undefined;
    const code = await changeCode(
      db,
      userOf(ctx).id,
      id,
      async (stored, transaction) => {
        const edit = await readEdit(ctx, stored, transaction);
        refused = edit.refused;
        return edit.changes;
      },
      now(),
    );
    if (refused) return showForm(ctx, refused);
    codeChanged(code.shareToken);
    redirectWithFlash(ctx, parts, `/codes/${code.id}`, 'saved' satisfies CodeFlash);
  });

  /** What the form changes in the stored code, or the form again where it cannot be saved. */
  async function readEdit(
    ctx: Context,
    code: QrCode,
    transaction: Database,
  ): Promise<{ changes: CodeChanges; refused?: Filled }> {
    const { type } = code;
    // How the form was opened, whatever the code has become since.
    const wasRaw = !isAsTyped(type) && typeof Reflect.get(Object(ctx.request.body), 'content') === 'string';
    const given = { values: readValues(ctx, type, wasRaw), isRaw: wasRaw };
    const { values, isRaw, saved } = mergeEdit(code, given, field(ctx, 'version'));
    if (Object.keys(saved).length > 0) return { changes: {}, refused: { type, code, values, isRaw, saved } };
    const changes = changedBody(code, values, isRaw);
    const found = await findErrors(changeErrors, changes, changedCodeRules(transaction, code, config));
    const errors = shownErrors(type, values, isRaw, found, 'content' in changes);
    if (errors.length > 0 || isCheck(ctx))
      return { changes: {}, refused: { type, code, values, isRaw, errors } };
    return { changes: toStored(changes) };
  }

  router.post('/:id/duplicate', async (ctx) => {
    const code = await ownCode(ctx);
    if (await isCodeBlocked(db, code)) throw new AppError('validation_error', blockedCopyError);
    const copy = await createCode(
      db,
      code.userId,
      // The copy of a private code is private from the start.
      { ...copiedFields(code), name: copyName(code.name), isPublic: code.isPublic },
      config.qrCodeLifetimeDays,
      now(),
    );
    redirect(ctx, `/codes/${copy.id}/edit?copied`);
  });

  router.get('/:id/delete', async (ctx) => {
    showDelete(ctx, await ownCode(ctx), []);
  });

  router.post('/:id/delete', async (ctx) => {
    const code = await ownCode(ctx);
    if (collapseSpaces(field(ctx, 'confirmation')) !== collapseSpaces(code.name))
      return showDelete(ctx, code, [{ field: 'confirmation', message: 'This is not the name of the code' }]);
    await deleteCode(db, code.userId, code.id);
    codeChanged(code.shareToken);
    redirectWithFlash(ctx, parts, '/codes', 'deleted' satisfies CodeFlash);
  });

  function showDelete(ctx: Context, code: QrCode, errors: FieldError[]): void {
    const form = { values: { confirmation: field(ctx, 'confirmation') }, errors };
    show(ctx, DeleteCodeView, { visitor: visitorOf(ctx, parts), code, form }, errors.length > 0 ? 400 : 200);
  }
  return router;
}

/** form-errors.browser.js validates a form without saving it. */
function isCheck(ctx: Context): boolean {
  return ctx.method === 'POST' && 'check' in ctx.query;
}

function typeOf(text: unknown): CodeType {
  return codeTypes.find((type) => type === text) ?? createDefaults.type;
}

/** What was typed before another type was chosen. Invalid values are left out. */
function valuesFromQuery(query: Context['query']): Values {
  const kept = commonFields.flatMap((name) => {
    const value = query[name];
    if (typeof value !== 'string' || value === '') return [];
    const isGood =
      name === 'lastDay'
        ? endOfDay(value) !== undefined
        : changeErrors({ [name]: name === 'size' ? Number(value) : value }).length === 0;
    return isGood ? [[name, value] as const] : [];
  });
  return Object.fromEntries(kept);
}

/** The default where the input is invalid and has no picture. */
function designOf(values: Values): Design {
  const given = { ...values, size: Number(values['size']) } as unknown as Design;
  const { foregroundColor, backgroundColor, size, errorCorrection } = given;
  const design = { foregroundColor, backgroundColor, size, errorCorrection };
  return changeErrors(design).length === 0 ? design : { ...createDefaults };
}

function copiedFields(code: QrCode): Omit<NewCode, 'name'> {
  const { type, content, foregroundColor, backgroundColor, size, errorCorrection, category } = code;
  return { type, content, foregroundColor, backgroundColor, size, errorCorrection, category };
}

function copyName(name: string): string {
  return (
    [...name]
      .slice(0, maxNameLength - copySuffix.length)
      .join('')
      .trimEnd() + copySuffix
  );
}
