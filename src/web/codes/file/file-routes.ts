import type { Context } from 'koa';
import { findFileQuota } from '../../../accounts/account-limits.ts';
import { requireRoomForCodes } from '../../../codes/code-limit.ts';
import { findCode, newCode } from '../../../codes/codes.ts';
import { fileAddress } from '../../../codes/files/upload.ts';
import {
  type FileKind,
  type NewFile,
  findFile,
  requireRoom,
  saveFile,
  usedBytes,
} from '../../../codes/files/stored-file.ts';
import { findRemovedFile, removeFile, restoreFile } from '../../../codes/files/removed-file.ts';
import { undoDays } from '../../../codes/undo-period.ts';
import { lockOwner } from '../../../codes/design/stored-logo.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { AppError, invalid } from '../../../errors.ts';
import { readFile, readPhoto } from '../../../codes/files/read-upload.ts';
import { type Refusal, findFullAccount, refusalOf, spendForm } from '../../ui/form.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import type { Services } from '../../services.ts';
import { createPages, redirect, redirectWithFlash } from '../../ui/page.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import type { CodeFlash } from '../code-flash.ts';
import { CodeFileView, NewFileView, RemoveFileView } from './file-view.tsx';
import { generateShareToken } from '../../../codes/share-token.ts';
import { createStyledCode, proveDefaultStyle } from '../../../codes/styles/default-style.ts';
import { compileValidator, normalizeLabels } from '../../../codes/validation.ts';
import { createBody, createDefaults } from '../../../codes/code-rules.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import type { CodeLook } from '../../../codes/design/stored-design.ts';
import { policyWithBlobs } from '../../middleware/headers.ts';
import { type DesignValues, createDesignForm, hasDesign } from '../design/design-form.ts';
import { subjectOfNewCode } from '../design/design-subject.ts';
import { createDesignedCode } from '../form/create-code.ts';
import { readLastDay } from '../../ui/last-day.ts';
import { newDesign, newDesignPictures } from '../form/new-design.ts';
import type { WorkspaceId } from '../../../workspaces/workspace.ts';

const kinds: FileKind[] = ['file', 'photo'];
const flashTexts = {
  uploaded: 'Uploaded. Scans open it from now on.',
  photographed: 'Uploaded. The share page and the saved contact have it from now on.',
  fileRemoved: `The file was removed. You can undo this for ${undoDays} days.`,
  photoRemoved: `The photo was removed. You can undo this for ${undoDays} days.`,
  fileRestored: 'The file is back. Scans open it again.',
  photoRestored: 'The photo is back.',
};
const tooLate: Record<FileKind, string> = {
  file: 'There is no removed file any more. Upload it again.',
  photo: 'There is no removed photo any more. Upload it again.',
};
type FileFlash = keyof typeof flashTexts;

/** The pages on which owners upload the file that a code opens, or the photo of a contact. */
export function codeFilePages(parts: Services): Routes {
  const { db, config, imageDecoder, now, codeChanged } = parts;
  const routes = createRoutes('/codes');

  const ownCode = (ctx: Context) => findCode(db, workspaceIdOf(ctx), String(ctx['params'].id));

  async function usageOf(ctx: Context) {
    const id = workspaceIdOf(ctx);
    return { usedBytes: await usedBytes(db, id), quotaBytes: await findFileQuota(db, id, config.limits) };
  }

  const pages = createPages(parts, flashTexts);
  const designForm = createDesignForm(parts);

  async function showNew(ctx: Context, design: DesignValues, refusal: Refusal = accepted): Promise<void> {
    const { errors, error, status } = refusal;
    const { values, ...pictures } = await newDesignPictures(parts, workspaceIdOf(ctx), design);
    const form = { values: { ...values, ...labelsOf(ctx) }, errors, error };
    ctx.set('Content-Security-Policy', policyWithBlobs);
    pages.show(ctx, NewFileView, { form, usage: await usageOf(ctx), ...pictures }, { status });
  }

  async function showFile(ctx: Context, code: QrCode, kind: FileKind, refusal: Refusal = accepted) {
    const { errors, error, status } = refusal;
    const file = await findFile(db, code.id, kind);
    const removed = await findRemovedFile(db, code.id, kind, now());
    const form = { values: {}, errors, error };
    const wasRemoved = pages.takeFlash(ctx) === `${kind}Removed`;
    const undo = removed && wasRemoved ? `/codes/${code.id}/${kind}/restore` : undefined;
    pages.show(
      ctx,
      CodeFileView,
      { code, kind, file, removed, form, usage: await usageOf(ctx) },
      { status, undo },
    );
  }

  /** The file of the form, once there is room for it and it is what it should be. */
  async function readUpload(ctx: Context, kind: FileKind, code?: QrCode): Promise<NewFile> {
    const given = fileField(ctx, kind);
    if (!given)
      throw invalid([{ field: kind, message: kind === 'photo' ? 'Choose a photo' : 'Choose a file' }]);
    await spendForm(ctx, parts);
    const upload = { bytes: given.bytes, declared: given.type, name: given.name };
    if (kind === 'photo') return readPhoto(imageDecoder, callerOf(ctx), upload);
    const workspaceId = workspaceIdOf(ctx);
    const quotaBytes = await findFileQuota(db, workspaceId, config.limits);
    await requireRoom(db, { workspaceId, codeId: code?.id }, { kind, bytes: given.bytes.length }, quotaBytes);
    return readFile(imageDecoder, callerOf(ctx), upload);
  }

  /** file.browser.js, which shows the progress, asks for JSON and opens the page itself. */
  function finish(ctx: Context, path: string, flash: CodeFlash | FileFlash): void {
    redirectWithFlash(ctx, parts, path, flash);
    if (wantsJson(ctx)) ctx.status = 201;
  }

  routes.get('editor or demo', '/new/file', async (ctx) => {
    const design = await newDesign(db, workspaceIdOf(ctx), ctx.query);
    await showNew(ctx, design, await findFullAccount(ctx, parts));
  });

  routes.post('editor', '/new/file', async (ctx) => {
    try {
      await requireRoomForCodes(db, workspaceIdOf(ctx), 1, config.limits);
      const upload = await readUpload(ctx, 'file');
      if (hasDesign(ctx)) {
        const code = await createDesigned(ctx, upload);
        return finish(ctx, `/codes/${code.id}/ready`, 'created');
      }
      const { code, isPlain } = await createFileCode(parts, workspaceIdOf(ctx), upload, field(ctx, 'name'));
      finish(ctx, `/codes/${code.id}`, isPlain ? 'createdPlain' : 'created');
    } catch (error) {
      await showNew(ctx, designForm.values(ctx), shownRefusal(ctx, error));
    }
  });

  async function createDesigned(ctx: Context, upload: NewFile): Promise<QrCode> {
    const workspaceId = workspaceIdOf(ctx);
    const { design, look, newLogo } = await designForm.read(
      ctx,
      subjectOfNewCode(workspaceId),
      designForm.values(ctx),
    );
    const { lastDay, ...labels } = labelsOf(ctx);
    const { expiresAt, errors } = readLastDay({ lastDay }, now());
    if (errors.length > 0) throw invalid(errors);
    const created = newFileCode(parts, workspaceId, { upload, ...labels, expiresAt, look });
    return createDesignedCode(parts, callerOf(ctx), { created, design, newLogo, file: upload });
  }

  for (const kind of kinds) {
    routes.get('editor or demo', `/:id/${kind}`, async (ctx) =>
      showFile(ctx, await ownerOf(ctx, kind), kind),
    );

    routes.post('editor', `/:id/${kind}`, async (ctx) => {
      const code = await ownerOf(ctx, kind);
      try {
        const upload = await readUpload(ctx, kind, code);
        const content =
          kind === 'file' ? fileAddress(config.baseUrl, code.shareToken, upload.name) : undefined;
        const quotaBytes = await findFileQuota(db, code.workspaceId, config.limits);
        await saveFile(db, code, upload, { quotaBytes, ...(content && { content }), now: now() });
      } catch (error) {
        return showFile(ctx, code, kind, shownRefusal(ctx, error));
      }
      codeChanged(code.shareToken);
      finish(ctx, `/codes/${code.id}/${kind}`, kind === 'file' ? 'uploaded' : 'photographed');
    });

    routes.get('editor', `/:id/${kind}/delete`, async (ctx) => {
      const code = await ownerOf(ctx, kind);
      const file = await findFile(db, code.id, kind);
      if (!file) return redirect(ctx, `/codes/${code.id}/${kind}`);
      pages.show(ctx, RemoveFileView, { code, kind, file });
    });

    routes.post('editor', `/:id/${kind}/delete`, async (ctx) => {
      const code = await ownCode(ctx);
      await db.transaction((transaction) => removeFile(transaction, code, kind, now()));
      codeChanged(code.shareToken);
      pages.redirectWithFlash(ctx, `/codes/${code.id}/${kind}`, `${kind}Removed`);
    });

    routes.post('editor', `/:id/${kind}/restore`, async (ctx) => {
      const code = await ownCode(ctx);
      if (!(await restoreFile(db, code, kind, now())))
        return showFile(ctx, code, kind, { errors: [], error: tooLate[kind], status: 200 });
      codeChanged(code.shareToken);
      pages.redirectWithFlash(ctx, `/codes/${code.id}/${kind}`, `${kind}Restored`);
    });
  }

  async function ownerOf(ctx: Context, kind: FileKind): Promise<QrCode> {
    const code = await ownCode(ctx);
    if (kind === 'photo' && code.type !== 'vcard')
      throw new AppError('not_found', 'Only contacts have a photo.');
    return code;
  }
  return routes;
}

const wantsJson = (ctx: Context) => ctx.accepts('html', 'json') === 'json';

const accepted: Refusal = { errors: [], status: 200 };

/** For the form. The script shows errors itself. Browsers do not keep a chosen file. */
function shownRefusal(ctx: Context, error: unknown): Refusal {
  if (wantsJson(ctx)) throw error;
  const details = error instanceof AppError ? error.details : undefined;
  const isLimit = error instanceof AppError && !details;
  const isOfDesign = details?.some(({ field: name }) => !['file', 'photo'].includes(name));
  const marked = isOfDesign
    ? 'Check the marked fields, and choose the files again.'
    : 'Choose the file again.';
  const refusal = refusalOf(error, isLimit ? { again: 'Then choose the file again.' } : { marked });
  const errors = refusal.errors.map((each) => ({
    ...each,
    message: each.message.replace(/^of the code /, ''),
  }));
  return { ...refusal, errors };
}

const bodyErrors = compileValidator(createBody);

type FileCodeParts = Pick<Services, 'db' | 'proofs' | 'now'> & {
  config: Pick<Services['config'], 'baseUrl' | 'qrCodeLifetimeDays' | 'limits'>;
};

interface FileCode {
  code: QrCode;
  /** Whether it has not got the default style of the account. */
  isPlain: boolean;
}

/** A code that opens the file, in the default style of the account. Throws a validation error for a name that is none. */
export async function createFileCode(
  parts: FileCodeParts,
  workspaceId: WorkspaceId,
  upload: NewFile,
  name: string,
): Promise<FileCode> {
  const { db, config } = parts;
  const created = newFileCode(parts, workspaceId, { upload, name });
  const quotaBytes = await findFileQuota(db, workspaceId, config.limits);
  const style = await proveDefaultStyle(parts, created, { mayRaise: true });
  return db.transaction(async (transaction) => {
    // Before the logo of the style: saving the file locks the owner as well.
    await lockOwner(transaction, workspaceId);
    const { code, styleMissed } = await createStyledCode(transaction, created, style, config.limits);
    await saveFile(transaction, code, upload, { quotaBytes, now: created.createdAt });
    return { code, isPlain: style.refused !== undefined || styleMissed !== undefined };
  });
}

/** What a new code is called, and when it expires, as typed. */
function labelsOf(ctx: Context) {
  return { name: field(ctx, 'name'), category: field(ctx, 'category'), lastDay: field(ctx, 'lastDay') };
}

interface FileCodeInput {
  upload: NewFile;
  name: string;
  category?: string;
  expiresAt?: Date | undefined;
  look?: CodeLook;
}

/** Named like the file where no name is given. */
function newFileCode(
  { config, now }: Pick<FileCodeParts, 'config' | 'now'>,
  workspaceId: WorkspaceId,
  input: FileCodeInput,
) {
  const { upload, name, category = '', expiresAt, look } = input;
  const shareToken = generateShareToken();
  const content = fileAddress(config.baseUrl, shareToken, upload.name);
  const labels = {
    name: name.trim() === '' ? stemOf(upload) : name,
    category: category.trim() === '' ? null : category,
  };
  const given = { ...labels, content, ...look };
  const body = normalizeLabels(given) as typeof given;
  const errors = bodyErrors(body);
  if (errors.length > 0) throw invalid(errors);
  return newCode(
    workspaceId,
    { ...createDefaults, ...body, shareToken, pageShowsName: false, ...(expiresAt && { expiresAt }) },
    config.qrCodeLifetimeDays,
    now(),
  );
}

const stemOf = ({ name }: NewFile) => name.slice(0, name.lastIndexOf('.'));
