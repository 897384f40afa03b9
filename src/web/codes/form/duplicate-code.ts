import { findFileQuota } from '../../../accounts/account-limits.ts';
import { requireRoomForCodes } from '../../../codes/code-limit.ts';
import { type CodeInput, type QrCodeColumns, insertCode, newCode } from '../../../codes/codes.ts';
import { type ProvenDesign, findDesign, insertDesign } from '../../../codes/design/stored-design.ts';
import { fileAddress, opensFile } from '../../../codes/files/upload.ts';
import { copyFile, findFile } from '../../../codes/files/stored-file.ts';
import { copyPageLogo, findPageLogo } from '../../../codes/share-page.ts';
import { lockLogos } from '../../../codes/design/stored-logo.ts';
import { proveDesign } from '../../../codes/proof/prove-design.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { generateShareToken } from '../../../codes/share-token.ts';
import { AppError } from '../../../errors.ts';
import type { Services } from '../../services.ts';

const maxNameLength = 100;
const copySuffix = ' (copy)';

interface Duplicate {
  copy: QrCode;
  /** Whether the design was left out, because the copy could not be proven in it. */
  isPlain: boolean;
}

/** With its design, its logo, and a copy of its file or photo, which counts: the first code may be deleted. */
export async function duplicateCode(parts: Services, code: QrCode): Promise<Duplicate> {
  const { db, config, now } = parts;
  await requireRoomForCodes(db, code.workspaceId, 1, config.limits);
  const shareToken = generateShareToken();
  const file = await findFile(db, code.id, code.type === 'vcard' ? 'photo' : 'file');
  const quotaBytes = file ? await findFileQuota(db, code.workspaceId, config.limits) : 0;
  const contentOf = opensFile(code)
    ? (name: string) => fileAddress(config.baseUrl, shareToken, name)
    : undefined;
  const content = file && contentOf ? contentOf(file.name) : code.content;
  const wanted = { ...copiedFields(code), content, shareToken };
  const created = newCode(code.workspaceId, wanted, config.qrCodeLifetimeDays, now());
  const { proven, isRefused } = await proveCopy(parts, code.id, created);
  const pageLogo = await findPageLogo(db, code.id);
  return db.transaction(async (transaction) => {
    const errorCorrection = proven?.errorCorrection ?? created.errorCorrection;
    const copy = await insertCode(transaction, { ...created, errorCorrection }, config.limits);
    if (file) await copyFile(transaction, copy, file, { quotaBytes, contentOf, now: now() });
    const logos = await lockLogos(transaction, code.workspaceId, [proven?.design.logo, pageLogo?.logo]);
    if (pageLogo && logos.has(pageLogo.logo)) await copyPageLogo(transaction, copy.id, pageLogo, now());
    const isDesigned = proven && (await insertDesign(transaction, code.workspaceId, copy.id, proven, now()));
    return { copy, isPlain: isRefused || (proven !== undefined && !isDesigned) };
  });
}

/** Its symbol is another one, because it has a share link of its own. */
async function proveCopy(
  { db, proofs, config }: Services,
  codeId: string,
  created: QrCodeColumns,
): Promise<{ proven?: ProvenDesign; isRefused: boolean }> {
  const stored = await findDesign(db, codeId);
  if (!stored) return { isRefused: false };
  try {
    const caller = { key: created.workspaceId };
    const { proof: _proof, ...proven } = await proveDesign(
      proofs,
      caller,
      created,
      stored.design,
      config.baseUrl,
    );
    return { proven, isRefused: false };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { isRefused: true };
  }
}

function copiedFields(code: QrCode): CodeInput {
  const { type, content, isPublic, foregroundColor, backgroundColor, size, errorCorrection, category } = code;
  const { afterExpiryUrl, pageTitle, pageText, pageColor, pageShowsName } = code;
  const page = { pageTitle, pageText, pageColor, pageShowsName };
  return {
    name: copyName(code.name),
    // The copy of a private code is private from the start.
    isPublic,
    type,
    content,
    foregroundColor,
    backgroundColor,
    size,
    errorCorrection,
    category,
    afterExpiryUrl,
    ...page,
  };
}

function copyName(name: string): string {
  return (
    [...name]
      .slice(0, maxNameLength - copySuffix.length)
      .join('')
      .trimEnd() + copySuffix
  );
}
