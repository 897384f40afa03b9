import { type CodeInput, createCode } from '../../../codes/codes.ts';
import { fileAddress, opensFile } from '../../../codes/files/file-name.ts';
import { copyFile, findFile } from '../../../codes/files/stored-file.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { generateShareToken } from '../../../codes/share-token.ts';
import { findFileQuota } from '../../file-quota.ts';
import type { PageParts } from '../../ui/page.ts';

/** With a copy of its file or photo, which counts: the first code may be deleted. */
export async function duplicateCode(
  { db, config, now }: PageParts,
  code: QrCode,
  input: CodeInput,
): Promise<QrCode> {
  const file = await findFile(db, code.id, code.type === 'vcard' ? 'photo' : 'file');
  if (!file) return createCode(db, code.userId, input, config.qrCodeLifetimeDays, now());
  const quotaBytes = await findFileQuota(db, code.userId);
  const shareToken = generateShareToken();
  const content = opensFile(code) ? fileAddress(config.baseUrl, shareToken, file.name) : code.content;
  return db.transaction(async (transaction) => {
    const wanted = { ...input, content, shareToken };
    const copy = await createCode(transaction, code.userId, wanted, config.qrCodeLifetimeDays, now());
    await copyFile(transaction, copy, file, { quotaBytes, now: now() });
    return copy;
  });
}
