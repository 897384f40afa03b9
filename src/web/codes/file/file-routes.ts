import type { Context } from 'koa';
import { findFileQuota } from '../../../accounts/account-limits.ts';
import { requireRoomForCodes } from '../../../codes/code-limit.ts';
import { findCode, newCode } from '../../../codes/codes.ts';
import { fileAddress } from '../../../codes/files/upload.ts';
import {
  type FileKind,
  type NewFile,
  deleteFile,
  findFile,
  requireRoom,
  saveFile,
  usedBytes,
} from '../../../codes/files/stored-file.ts';
import { lockOwner } from '../../../codes/design/stored-logo.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { AppError, invalid } from '../../../errors.ts';
import { readFile, readPhoto } from '../../../codes/files/read-upload.ts';
import { type Refusal, findFullAccount, refusalOf, spendForm } from '../../ui/form.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import type { Services } from '../../services.ts';
import { createPages, redirectWithFlash } from '../../ui/page.ts';
import { userOf } from '../../middleware/session.ts';
import type { CodeFlash } from '../code-flash.ts';
import { CodeFileView, NewFileView } from './file-view.tsx';
import { generateShareToken } from '../../../codes/share-token.ts';
import { createStyledCode, proveDefaultStyle } from '../../../codes/styles/default-style.ts';
import { compileValidator, normalizeLabels } from '../../../codes/validation.ts';
import { createBody, createDefaults } from '../../../codes/code-rules.ts';
import { type Routes, createRoutes } from '../../routes.ts';

const kinds: FileKind[] = ['file', 'photo'];
const flashTexts = {
  uploaded: 'Uploaded. Scans open it from now on.',
  photographed: 'Uploaded. The share page and the saved contact have it from now on.',
  removed: 'Removed.',
};
type FileFlash = keyof typeof flashTexts;

/** The pages on which owners upload the file that a code opens, or the photo of a contact. */
export function codeFilePages(parts: Services): Routes {
  const { db, config, imageDecoder, now, codeChanged } = parts;
  const routes = createRoutes('/codes');

  const ownCode = (ctx: Context) => findCode(db, userOf(ctx).id, String(ctx['params'].id));

  async function usageOf(ctx: Context) {
    const { id } = userOf(ctx);
    return { usedBytes: await usedBytes(db, id), quotaBytes: await findFileQuota(db, id, config.limits) };
  }

  const pages = createPages(parts, flashTexts);

  async function showNew(ctx: Context, { errors, error, status }: Refusal = accepted): Promise<void> {
    const form = { values: { name: field(ctx, 'name') }, errors, error };
    pages.show(ctx, NewFileView, { form, usage: await usageOf(ctx) }, { status });
  }

  async function showFile(ctx: Context, code: QrCode, kind: FileKind, refusal: Refusal = accepted) {
    const { errors, error, status } = refusal;
    const file = await findFile(db, code.id, kind);
    const form = { values: {}, errors, error };
    pages.show(ctx, CodeFileView, { code, kind, file, form, usage: await usageOf(ctx) }, { status });
  }

  /** The file of the form, once there is room for it and it is what it should be. */
  async function readUpload(ctx: Context, kind: FileKind, code?: QrCode): Promise<NewFile> {
    const given = fileField(ctx, kind);
    if (!given)
      throw invalid([{ field: kind, message: kind === 'photo' ? 'Choose a photo' : 'Choose a file' }]);
    await spendForm(ctx, parts);
    const upload = { bytes: given.bytes, declared: given.type, name: given.name };
    if (kind === 'photo') return readPhoto(imageDecoder, callerOf(ctx), upload);
    const { id: userId } = userOf(ctx);
    const quotaBytes = await findFileQuota(db, userId, config.limits);
    await requireRoom(db, { userId, codeId: code?.id }, { kind, bytes: given.bytes.length }, quotaBytes);
    return readFile(imageDecoder, callerOf(ctx), upload);
  }

  /** file.browser.js, which shows the progress, asks for JSON and opens the page itself. */
  function finish(ctx: Context, path: string, flash: CodeFlash | FileFlash): void {
    redirectWithFlash(ctx, parts, path, flash);
    if (wantsJson(ctx)) ctx.status = 201;
  }

  routes.get('user', '/new/file', async (ctx) => showNew(ctx, await findFullAccount(ctx, parts)));

  routes.post('user', '/new/file', async (ctx) => {
    try {
      await requireRoomForCodes(db, userOf(ctx).id, 1, config.limits);
      const upload = await readUpload(ctx, 'file');
      const { code, isPlain } = await createFileCode(parts, userOf(ctx).id, upload, field(ctx, 'name'));
      finish(ctx, `/codes/${code.id}`, isPlain ? 'createdPlain' : 'created');
    } catch (error) {
      await showNew(ctx, shownRefusal(ctx, error));
    }
  });

  for (const kind of kinds) {
    routes.get('user', `/:id/${kind}`, async (ctx) => showFile(ctx, await ownerOf(ctx, kind), kind));

    routes.post('user', `/:id/${kind}`, async (ctx) => {
      const code = await ownerOf(ctx, kind);
      try {
        const upload = await readUpload(ctx, kind, code);
        const content =
          kind === 'file' ? fileAddress(config.baseUrl, code.shareToken, upload.name) : undefined;
        const quotaBytes = await findFileQuota(db, code.userId, config.limits);
        await saveFile(db, code, upload, { quotaBytes, ...(content && { content }), now: now() });
      } catch (error) {
        return showFile(ctx, code, kind, shownRefusal(ctx, error));
      }
      codeChanged(code.shareToken);
      finish(ctx, `/codes/${code.id}/${kind}`, kind === 'file' ? 'uploaded' : 'photographed');
    });

    routes.post('user', `/:id/${kind}/delete`, async (ctx) => {
      const code = await ownCode(ctx);
      await deleteFile(db, code.id, kind);
      codeChanged(code.shareToken);
      pages.redirectWithFlash(ctx, `/codes/${code.id}/${kind}`, 'removed');
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
  const isLimit = error instanceof AppError && !error.details;
  return refusalOf(
    error,
    isLimit ? { again: 'Then choose the file again.' } : { marked: 'Choose the file again.' },
  );
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
  ownerId: string,
  upload: NewFile,
  name: string,
): Promise<FileCode> {
  const { db, config, now } = parts;
  const shareToken = generateShareToken();
  const content = fileAddress(config.baseUrl, shareToken, upload.name);
  const given = { name: name.trim() === '' ? stemOf(upload) : name, content };
  const body = normalizeLabels(given) as typeof given;
  const errors = bodyErrors(body);
  if (errors.length > 0) throw invalid(errors);
  const quotaBytes = await findFileQuota(db, ownerId, config.limits);
  const input = { ...createDefaults, ...body, shareToken };
  const created = newCode(ownerId, input, config.qrCodeLifetimeDays, now());
  const style = await proveDefaultStyle(parts, created, { mayRaise: true });
  return db.transaction(async (transaction) => {
    // Before the logo of the style: saving the file locks the owner as well.
    await lockOwner(transaction, ownerId);
    const { code, styleMissed } = await createStyledCode(transaction, created, style, config.limits);
    await saveFile(transaction, code, upload, { quotaBytes, now: created.createdAt });
    return { code, isPlain: style.refused !== undefined || styleMissed !== undefined };
  });
}

const stemOf = ({ name }: NewFile) => name.slice(0, name.lastIndexOf('.'));
