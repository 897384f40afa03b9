import { findFileQuota } from '../../../accounts/account-limits.ts';
import { newCode } from '../../../codes/codes.ts';
import { fileAddress } from '../../../codes/files/upload.ts';
import { type NewFile, saveFile } from '../../../codes/files/stored-file.ts';
import { lockOwner } from '../../../codes/logo/stored-logo.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { generateShareToken } from '../../../codes/share-token.ts';
import { createStyledCode, proveDefaultStyle } from '../../../codes/styles/default-style.ts';
import { invalid } from '../../../errors.ts';
import { compileValidator, normalizeLabels } from '../../../codes/validation.ts';
import { createBody, createDefaults } from '../../../codes/code-rules.ts';
import type { PageParts } from '../../ui/page.ts';

const bodyErrors = compileValidator(createBody);

type FileCodeParts = Pick<PageParts, 'db' | 'proofs' | 'now'> & {
  config: Pick<PageParts['config'], 'baseUrl' | 'qrCodeLifetimeDays' | 'limits'>;
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
