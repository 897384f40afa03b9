import type { Context } from 'koa';
import { requireRoomForCodes } from '../../../codes/code-limit.ts';
import { type NewCode, newCode } from '../../../codes/codes.ts';
import {
  createBody,
  createDefaults,
  endingBody,
  endingRules,
  maxAltLength,
  newCodeRules,
  pageBody,
} from '../../../codes/code-rules.ts';
import type { CodeType } from '../../../codes/content/content-types.ts';
import { readLogo, readPhoto } from '../../../codes/files/read-upload.ts';
import { normalizeLabel } from '../../../codes/label.ts';
import { pageLookChanges } from '../../../codes/share-page.ts';
import { createStyledCode, proveDefaultStyle } from '../../../codes/styles/default-style.ts';
import { compileValidator, findErrors } from '../../../codes/validation.ts';
import { AppError, type FieldError, invalid } from '../../../errors.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import { policyWithDesigner } from '../../middleware/headers.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import type { Services } from '../../services.ts';
import { type Refusal, findFullAccount, labelErrors, refusalOf, spendForm } from '../../ui/form.ts';
import { readLastDay } from '../../ui/last-day.ts';
import { redirectWithFlash, show, visitorOf } from '../../ui/page.ts';
import type { CodeFlash } from '../code-flash.ts';
import { type DesignValues, createDesignForm, designErrorsOf, hasDesign } from '../design/design-form.ts';
import { subjectOfNewCode } from '../design/design-subject.ts';
import { type CodeDraft, createDesignedCode } from './create-code.ts';
import { NewCodeView } from './create-view.tsx';
import { switchForm } from './edit-merge.ts';
import {
  type Values,
  addressOf,
  emptyValues,
  newBody,
  pageBodyOf,
  pageErrors,
  readValues,
  shownErrors,
  typeOf,
} from './form-body.ts';
import { formPreview, previewNonce } from './form-preview.ts';
import { isCheck, isSwitch, notSaved } from './form-routes.ts';
import { newDesign, newDesignPictures } from './new-design.ts';
import type { WorkspaceId } from '../../../workspaces/workspace.ts';

const newErrors = compileValidator(createBody);
const endingErrors = compileValidator(endingBody);
const lookErrors = compileValidator(pageBody);

interface Filled {
  type: CodeType;
  values: Values;
  design: DesignValues;
  refusal?: Refusal | undefined;
}

/** Create a code: what it opens and how it looks, in one form. */
export function createCodePages(parts: Services): Routes {
  const { db, config, imageDecoder, now } = parts;
  const routes = createRoutes('/codes/new');
  const designForm = createDesignForm(parts);

  async function showForm(ctx: Context, { type, values, design, refusal }: Filled): Promise<void> {
    const visitor = visitorOf(ctx, parts);
    const { errors = [], error, status = 200 } = refusal ?? {};
    const preview = { csrfToken: visitor.csrfToken, code: undefined };
    const pictures = await newDesignPictures(parts, workspaceIdOf(ctx), design);
    ctx.set('Content-Security-Policy', policyWithDesigner(previewNonce(visitor.csrfToken)));
    show(
      ctx,
      NewCodeView,
      {
        visitor,
        type,
        form: { values: { ...pictures.values, ...values }, errors, error },
        shown: await formPreview(ctx, parts, { type, values, isRaw: false }, preview),
        ...pictures,
      },
      isCheck(ctx) ? 200 : status,
    );
  }

  routes.get('editor or demo', '/', async (ctx) => {
    const type = typeOf(ctx.query['type']);
    const design = await newDesign(db, workspaceIdOf(ctx), ctx.query);
    const refusal = await findFullAccount(ctx, parts);
    await showForm(ctx, { type, values: emptyValues(type), design, refusal });
  });

  routes.post('editor', '/', async (ctx) => {
    const type = typeOf(field(ctx, 'type'));
    const values = readValues(ctx, type, false);
    const design = await givenDesign(ctx);
    if (isSwitch(ctx)) {
      const to = typeOf(ctx.query['type']);
      const switched = switchForm({ type, values, isRaw: false }, to, undefined);
      return showForm(ctx, { ...switched, design, refusal: withFilesAgain(ctx, to, accepted) });
    }
    const { body, errors } = await readBody(type, values, design);
    if (errors.length > 0 || isCheck(ctx))
      return showForm(ctx, { type, values, design, refusal: refusalFor(ctx, type, errors) });
    const created = newCode(workspaceIdOf(ctx), body, config.qrCodeLifetimeDays, now());
    try {
      await spendForm(ctx, parts);
      if (!hasDesign(ctx)) return await createPlain(ctx, created);
      await requireRoomForCodes(db, created.workspaceId, 1, config.limits);
      const code = await createDesignedCode(parts, callerOf(ctx), await readDraft(ctx, created, design));
      redirectWithFlash(ctx, parts, `/codes/${code.id}/ready`, 'created' satisfies CodeFlash);
    } catch (error) {
      await showForm(ctx, { type, values, design, refusal: refusalAfter(ctx, type, error) });
    }
  });

  /** A form from before the designer was a part of it, or a program: the code gets the default template. */
  async function createPlain(ctx: Context, created: CodeDraft['created']): Promise<void> {
    const style = await proveDefaultStyle(parts, created, { mayRaise: true });
    const { code, styleMissed } = await createStyledCode(db, created, style, config.limits);
    const flash: CodeFlash = style.refused || styleMissed ? 'createdPlain' : 'created';
    redirectWithFlash(ctx, parts, `/codes/${code.id}`, flash);
  }

  async function givenDesign(ctx: Context): Promise<DesignValues> {
    const given = designForm.values(ctx);
    if (hasDesign(ctx)) return given;
    const initial = await newDesign(db, workspaceIdOf(ctx), {});
    const { foregroundColor, backgroundColor, errorCorrection } = {
      ...createDefaults,
      ...withoutEmpty(given),
    };
    return { ...initial, foregroundColor, backgroundColor, errorCorrection };
  }

  async function readBody(type: CodeType, values: Values, design: DesignValues) {
    const { foregroundColor = '', backgroundColor = '' } = design;
    const errorCorrection = design['errorCorrection'] as NewCode['errorCorrection'];
    const body = newBody(type, values, { foregroundColor, backgroundColor, errorCorrection });
    const afterExpiryUrl = addressOf(values);
    const look = pageBodyOf(values);
    const found = [
      ...(await findErrors(newErrors, body, newCodeRules(db, config, now()))),
      ...(await findErrors(endingErrors, { afterExpiryUrl }, endingRules(db, config))),
      ...pageErrors(lookErrors(look)),
    ];
    const { expiresAt, errors: ofEnd } = readLastDay(values, now());
    return {
      body: {
        ...(body as NewCode),
        ...pageLookChanges(look),
        afterExpiryUrl,
        ...(expiresAt && { expiresAt }),
      },
      errors: [...shownErrors(type, values, false, found, true), ...designErrorsOf(design), ...ofEnd],
    };
  }

  /** With the files of the form. */
  async function readDraft(
    ctx: Context,
    created: CodeDraft['created'],
    values: DesignValues,
  ): Promise<CodeDraft> {
    const { workspaceId, type } = created;
    const caller = callerOf(ctx);
    const { design, newLogo } = await designForm.read(ctx, subjectOfNewCode(workspaceId), values);
    const photo = type === 'vcard' ? fileField(ctx, 'photo') : undefined;
    const given = photo && { bytes: photo.bytes, declared: photo.type, name: photo.name };
    return {
      created,
      design,
      newLogo,
      pageLogo: await readPageLogo(ctx, workspaceId),
      file: given && (await readPhoto(imageDecoder, caller, given)),
    };
  }

  async function readPageLogo(ctx: Context, workspaceId: WorkspaceId): Promise<CodeDraft['pageLogo']> {
    const file = fileField(ctx, 'pageLogo')?.bytes;
    if (!file) return undefined;
    const alt =
      normalizeLabel(field(ctx, 'pageLogoAlt')) || normalizeLabel(field(ctx, 'pageTitle')) || 'Logo';
    const errors = labelErrors('pageLogoAlt', alt, maxAltLength, '');
    if (errors.length > 0) throw invalid(errors);
    const newLogo = await readLogo(imageDecoder, callerOf(ctx), workspaceId, file).catch((error: unknown) => {
      if (!(error instanceof AppError) || !error.details) throw error;
      throw invalid(error.details.map(({ message }) => ({ field: 'pageLogo', message })));
    });
    return { newLogo, alt };
  }
  return routes;
}

const withoutEmpty = (values: DesignValues) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

const accepted: Refusal = { errors: [], status: 200 };

function refusalFor(ctx: Context, type: CodeType, errors: FieldError[]): Refusal {
  if (errors.length === 0) return accepted;
  return withFilesAgain(ctx, type, { errors, error: notSaved, status: 400 });
}

/** Browsers do not keep chosen files: each field that had one asks for it again. */
function withFilesAgain(ctx: Context, type: CodeType, refusal: Refusal): Refusal {
  const shown = ['logo', 'pageLogo', ...(type === 'vcard' ? ['photo'] : [])];
  const lost = shown.filter((name) => fileField(ctx, name));
  if (lost.length === 0) return refusal;
  const marked = new Set(refusal.errors.map(({ field: name }) => name));
  const added = lost.filter((name) => !marked.has(name));
  return {
    ...refusal,
    errors: [...refusal.errors, ...added.map((name) => ({ field: name, message: 'Choose the file again' }))],
    error: [refusal.error, 'Choose the files again.'].filter(Boolean).join(' '),
  };
}

function refusalAfter(ctx: Context, type: CodeType, error: unknown): Refusal {
  const refusal = withFilesAgain(ctx, type, refusalOf(error));
  const own = refusal.errors.map((each) => ({ ...each, message: each.message.replace(/^of the code /, '') }));
  const whole = own
    .filter(({ field: name }) => name === 'body')
    .map(({ message }) => `The design ${message}.`);
  return { ...refusal, errors: own, error: [refusal.error, ...whole].filter(Boolean).join(' ') };
}
