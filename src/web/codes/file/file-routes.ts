import type { Context } from 'koa';
import { findFileQuota } from '../../../accounts/account-limits.ts';
import { requireRoomForCodes } from '../../../codes/code-limit.ts';
import { findCode } from '../../../codes/codes.ts';
import { fileAddress } from '../../../codes/files/upload.ts';
import {
  deleteFile,
  type FileKind,
  findFile,
  type NewFile,
  requireRoom,
  saveFile,
  usedBytes,
} from '../../../codes/files/stored-file.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { AppError, type FieldError, invalid } from '../../../errors.ts';
import { readFile, readPhoto } from '../../../codes/files/read-upload.ts';
import { findFullAccount, refusedByLimit, type RefusedForm, spendForm } from '../../form-quota.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import { readFlash, redirectWithFlash } from '../../ui/flash.ts';
import { type PageParts, show, userOf, visitorOf } from '../../ui/page.ts';
import type { CodeFlash } from '../code-flash.ts';
import { createFileCode } from './create-file-code.ts';
import { CodeFileView, NewFileView } from './file-view.tsx';
import { createRoutes, type Routes } from '../../routes.ts';

const kinds: FileKind[] = ['file', 'photo'];
const flashTexts = {
  uploaded: 'Uploaded. Scans open it from now on.',
  photographed: 'Uploaded. The share page and the saved contact have it from now on.',
  removed: 'Removed.',
};
type FileFlash = keyof typeof flashTexts;

/** The pages on which owners upload the file that a code opens, or the photo of a contact. */
export function codeFilePages(parts: PageParts): Routes {
  const { db, config, imageDecoder, now, codeChanged } = parts;
  const routes = createRoutes('/codes');

  const ownCode = (ctx: Context) => findCode(db, userOf(ctx).id, String(ctx['params'].id));

  async function usageOf(ctx: Context) {
    const { id } = userOf(ctx);
    return { usedBytes: await usedBytes(db, id), quotaBytes: await findFileQuota(db, id, config.limits) };
  }

  async function showNew(ctx: Context, { errors, problem, status }: Refused = accepted): Promise<void> {
    const form = { values: { name: field(ctx, 'name') }, errors };
    const props = { visitor: visitorOf(ctx, parts), form, problem, usage: await usageOf(ctx) };
    show(ctx, NewFileView, props, status);
  }

  async function showFile(ctx: Context, code: QrCode, kind: FileKind, refused: Refused = accepted) {
    const { errors, problem, status } = refused;
    const flash = readFlash(ctx, parts, flashTexts);
    const props = {
      visitor: visitorOf(ctx, parts),
      code,
      kind,
      file: await findFile(db, code.id, kind),
      form: { values: {}, errors },
      problem,
      usage: await usageOf(ctx),
      flash: flash && flashTexts[flash],
    };
    show(ctx, CodeFileView, props, status);
  }

  /** The file of the form, once there is room for it and it is what it should be. */
  async function readUpload(ctx: Context, kind: FileKind, code?: QrCode): Promise<NewFile> {
    const given = fileField(ctx, kind);
    if (!given) throw invalid([{ field: kind, message: 'must be chosen' }]);
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

  routes.get('user', '/new/file', async (ctx) =>
    showNew(ctx, { ...accepted, ...(await findFullAccount(ctx, parts)) }),
  );

  routes.post('user', '/new/file', async (ctx) => {
    try {
      await requireRoomForCodes(db, userOf(ctx).id, 1, config.limits);
      const upload = await readUpload(ctx, 'file');
      const { code, isPlain } = await createFileCode(parts, userOf(ctx).id, upload, field(ctx, 'name'));
      finish(ctx, `/codes/${code.id}`, isPlain ? 'createdPlain' : 'created');
    } catch (error) {
      await showNew(ctx, refusalOf(ctx, error));
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
        return showFile(ctx, code, kind, refusalOf(ctx, error));
      }
      codeChanged(code.shareToken);
      finish(ctx, `/codes/${code.id}/${kind}`, kind === 'file' ? 'uploaded' : 'photographed');
    });

    routes.post('user', `/:id/${kind}/delete`, async (ctx) => {
      const code = await ownCode(ctx);
      await deleteFile(db, code.id, kind);
      codeChanged(code.shareToken);
      redirectWithFlash(ctx, parts, `/codes/${code.id}/${kind}`, 'removed' satisfies FileFlash);
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

/** Browsers do not keep a chosen file. */
const notSaved = 'Not saved. Choose the file again.';

interface Refused extends Pick<RefusedForm, 'status'> {
  errors: FieldError[];
  problem: string | undefined;
}

const accepted: Refused = { errors: [], problem: undefined, status: 200 };

/** For the form. Other errors, and those of the script, are not shown in it. */
function refusalOf(ctx: Context, error: unknown): Refused {
  if (wantsJson(ctx)) throw error;
  const refused = refusedByLimit(error);
  if (refused) return { ...refused, errors: [], problem: `${refused.problem} Then choose the file again.` };
  if (!(error instanceof AppError) || !error.details) throw error;
  return { errors: error.details, problem: notSaved, status: 400 };
}
