import type { Context } from 'koa';
import { isCodeBlocked } from '../../../codes/blocks.ts';
import {
  type CodeChanges,
  type NewCode,
  changeCode,
  deleteCode,
  findCode,
  newCode,
} from '../../../codes/codes.ts';
import { normalizeLabel } from '../../../codes/label.ts';
import { pageLookChanges } from '../../../codes/share-page.ts';
import { withDefaultEnd } from '../../../codes/lifetime.ts';
import type { CodeType } from '../../../codes/content/content-types.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { createStyledCode, proveDefaultStyle } from '../../../codes/styles/default-style.ts';
import { AppError, type FieldError } from '../../../errors.ts';
import { type ProvenChange, keepDesign, lookFields } from '../../../codes/design/stored-design.ts';
import { changesLook, proveChange } from '../../../codes/proof/prove-design.ts';
import type { Database } from '../../../store/database.ts';
import { compileValidator, findErrors } from '../../../codes/validation.ts';
import {
  changedCodeRules,
  createBody,
  createDefaults,
  endingBody,
  endingChanges,
  endingRules,
  newCodeRules,
  pageBody,
  patchBody,
} from '../../../codes/code-rules.ts';
import { type Refusal, findFullAccount, refusedByLimit, spendForm } from '../../ui/form.ts';
import { field } from '../../middleware/forms.ts';
import { CodeFormView, DeleteCodeView } from './form-view.tsx';
import { duplicateCode } from './duplicate-code.ts';
import type { CodeFlash } from '../code-flash.ts';
import {
  type Values,
  addressOf,
  changedBody,
  changedEnding,
  changedPage,
  emptyValues,
  newBody,
  pageBodyOf,
  pageErrors,
  readForm,
  readLastDay,
  readValues,
  shownErrors,
  typeOf,
  valuesOf,
} from './form-body.ts';
import { type Design, designWarnings, previewPath } from '../picture-routes.ts';
import { editVersion, mergeEdit, switchForm } from './edit-merge.ts';
import { printSizeErrors } from './print-size.tsx';
import { formPreview, previewNonce } from './form-preview.ts';
import { policyWithPreview } from '../../middleware/headers.ts';
import type { Services } from '../../services.ts';
import { redirect, redirectWithFlash, show, visitorOf } from '../../ui/page.ts';
import { userOf } from '../../middleware/session.ts';
import { type Routes, createRoutes } from '../../routes.ts';

const notSaved = 'Not saved. Check the marked fields.';
const plainCopy = 'plain';
const blockedCopyError = 'This code was blocked for abuse and cannot be duplicated.';
/** As a browser shows it: people copy the name from the page. */
const collapseSpaces = (text: string) => normalizeLabel(text.replace(/\s+/g, ' '));
const newErrors = compileValidator(createBody);
const changeErrors = compileValidator(patchBody);
const endingErrors = compileValidator(endingBody);
const lookErrors = compileValidator(pageBody);

interface Filled {
  type: CodeType;
  code?: QrCode;
  values: Values;
  isRaw: boolean;
  errors?: FieldError[];
  /** Values that were saved since the form was opened, in fields that it changed too. */
  saved?: Values;
  /** Version of the form that was opened first, if this is the form for another type. */
  version?: string;
  /** A limit of the account is reached. */
  limited?: Refusal | undefined;
}

/** Create, edit, duplicate and delete codes. */
export function codeFormPages(parts: Services): Routes {
  const { db, config, now, codeChanged } = parts;
  const routes = createRoutes('/codes');

  const ownCode = async (ctx: Context) =>
    withDefaultEnd(await findCode(db, userOf(ctx).id, String(ctx['params'].id)), config.qrCodeLifetimeDays);

  async function showForm(
    ctx: Context,
    { type, code, values, isRaw, errors = [], saved, version, limited }: Filled,
  ): Promise<void> {
    const design = designOf(values);
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
        error: limited?.error ?? (errors.length > 0 ? notSaved : undefined),
        version: code && (version || editVersion(code, isRaw)),
        warnings: designWarnings(design, config.baseUrl),
        preview: previewPath(design, code?.id),
        shown: await formPreview(ctx, parts, { type, values, isRaw }, { csrfToken: visitor.csrfToken, code }),
        isCopy: 'copied' in ctx.query,
        isPlainCopy: ctx.query['copied'] === plainCopy,
      },
      isCheck(ctx) ? 200 : saved ? 409 : errors.length > 0 ? 400 : (limited?.status ?? 200),
    );
  }

  routes.get('user', '/new', async (ctx) => {
    const limited = await findFullAccount(ctx, parts);
    const type = typeOf(ctx.query['type']);
    await showForm(ctx, { type, values: emptyValues(type), isRaw: false, limited });
  });

  routes.post('user', '/new', async (ctx) => {
    const type = typeOf(field(ctx, 'type'));
    const values = readValues(ctx, type, false);
    if (isSwitch(ctx))
      return showForm(ctx, switchForm({ type, values, isRaw: false }, typeOf(ctx.query['type']), undefined));
    const body = newBody(type, values);
    const afterExpiryUrl = addressOf(values);
    const look = pageBodyOf(values);
    const found = [
      ...(await findErrors(newErrors, body, newCodeRules(db, config, now()))),
      ...(await findErrors(endingErrors, { afterExpiryUrl }, endingRules(db, config))),
      ...pageErrors(lookErrors(look)),
    ];
    const { expiresAt, errors: ofEnd } = readLastDay(values, now());
    const errors = [...shownErrors(type, values, false, found, true), ...printSizeErrors(values), ...ofEnd];
    if (errors.length > 0 || isCheck(ctx)) return showForm(ctx, { type, values, isRaw: false, errors });
    const input = {
      ...(body as NewCode),
      ...pageLookChanges(look),
      afterExpiryUrl,
      ...(expiresAt && { expiresAt }),
    };
    const created = newCode(userOf(ctx).id, input, config.qrCodeLifetimeDays, now());
    try {
      await spendForm(ctx, parts);
      const style = await proveDefaultStyle(parts, created, { mayRaise: true });
      const { code, styleMissed } = await createStyledCode(db, created, style, config.limits);
      const flash: CodeFlash = style.refused || styleMissed ? 'createdPlain' : 'created';
      redirectWithFlash(ctx, parts, `/codes/${code.id}`, flash);
    } catch (error) {
      await showForm(ctx, { type, values, isRaw: false, limited: limitOf(error) });
    }
  });

  routes.get('user', '/:id/edit', async (ctx) => {
    const code = await ownCode(ctx);
    const form = { type: code.type, ...valuesOf(code) };
    await showForm(ctx, { ...switchForm(form, typeOf(ctx.query['type'], code.type), code), code });
  });

  routes.post('user', '/:id/edit', async (ctx) => {
    if (isSwitch(ctx)) return showSwitched(ctx, await ownCode(ctx));
    const { id } = ctx['params'] as { id: string };
    // Not in the transaction, which would hold a connection and a lock meanwhile.
    const before = withDefaultEnd(await ownCode(ctx), config.qrCodeLifetimeDays);
    const draft = await readEdit(ctx, before, db);
    const shownAgain = { ...readForm(ctx, before.type), code: before, version: field(ctx, 'version') };
    try {
      if (changesLook(draft.changes)) await spendForm(ctx, parts);
    } catch (error) {
      return showForm(ctx, { ...shownAgain, limited: limitOf(error) });
    }
    const { proven, errors } = await proveEdit(parts, before, draft.changes);
    if (errors.length > 0) return showForm(ctx, { ...shownAgain, errors });
    let refused: Filled | undefined;
    const changedAt = now();
    const change = (source: Database) =>
      changeCode(
        source,
        userOf(ctx).id,
        id,
        async (stored, transaction) => {
          const edit = await readEdit(ctx, withDefaultEnd(stored, config.qrCodeLifetimeDays), transaction);
          refused = edit.refused;
          return edit.changes;
        },
        changedAt,
      );
    const changeWithDesign = async (transaction: Database) => {
      const changed = await change(transaction);
      if (!refused) await keepDesign(transaction, changed, proven, changedAt);
      return changed;
    };
    const code = changesLook(draft.changes) ? await db.transaction(changeWithDesign) : await change(db);
    if (refused) return showForm(ctx, refused);
    codeChanged(code.shareToken);
    redirectWithFlash(ctx, parts, `/codes/${code.id}`, 'saved' satisfies CodeFlash);
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
  ): Promise<{ changes: CodeChanges; refused?: Filled }> {
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
      ...printSizeErrors(values),
    ];
    if (errors.length > 0 || isCheck(ctx))
      return { changes: {}, refused: { type, code, values, isRaw, errors } };
    return {
      changes: {
        ...changes,
        ...pageLookChanges(look),
        ...endingChanges(code, ending, config.qrCodeLifetimeDays, now()),
      },
    };
  }

  routes.post('user', '/:id/duplicate', async (ctx) => {
    const code = await ownCode(ctx);
    if (await isCodeBlocked(db, code)) throw new AppError('validation_error', blockedCopyError);
    await spendForm(ctx, parts);
    const { copy, isPlain } = await duplicateCode(parts, code);
    redirect(ctx, `/codes/${copy.id}/edit?copied${isPlain ? `=${plainCopy}` : ''}`);
  });

  routes.get('user', '/:id/delete', async (ctx) => {
    showDelete(ctx, await ownCode(ctx), []);
  });

  routes.post('user', '/:id/delete', async (ctx) => {
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
  return routes;
}

function limitOf(error: unknown): Refusal {
  const refused = refusedByLimit(error);
  if (!refused) throw error;
  return refused;
}

/** form-errors.browser.js validates a form without saving it. */
function isCheck(ctx: Context): boolean {
  return ctx.method === 'POST' && 'check' in ctx.query;
}

/** form.browser.js sends what was typed along when another type is chosen. */
function isSwitch(ctx: Context): boolean {
  return 'switch' in ctx.query;
}

/** The default where the input is invalid and has no picture. */
function designOf(values: Values): Design {
  const given = { ...values, size: Number(values['size']) } as unknown as Design;
  const { foregroundColor, backgroundColor, size, errorCorrection } = given;
  const design = { foregroundColor, backgroundColor, size, errorCorrection };
  return changeErrors(design).length === 0 ? design : { ...createDefaults };
}

/** Proves the design of a code once more where an edit alters its picture. Errors name fields of the form. */
async function proveEdit(
  parts: Services,
  code: QrCode,
  changes: CodeChanges,
): Promise<{ proven?: ProvenChange | undefined; errors: FieldError[] }> {
  try {
    return { proven: await proveChange(parts, code.userId, code.id, changes), errors: [] };
  } catch (error) {
    if (!(error instanceof AppError) || !error.details) throw error;
    return { errors: onForm(error.details, changes) };
  }
}

/** A field of the design is not on the form: its error is shown at the field whose change has caused it. */
function onForm(details: FieldError[], changes: CodeChanges): FieldError[] {
  const own = details.filter((error) => lookFields.some((name) => name === error.field));
  if (own.length > 0)
    return own.map((error) => ({ ...error, message: error.message.replace(/^of the code /, '') }));
  const changed = lookFields.find((name) => changes[name] !== undefined) ?? 'foregroundColor';
  return details.slice(0, 1).map((error) => ({
    field: changed,
    message: `does not fit the design of the code, whose ${error.field} ${error.message}`,
  }));
}
