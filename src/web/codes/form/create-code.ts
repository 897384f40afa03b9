import { findFileQuota } from '../../../accounts/account-limits.ts';
import { type QrCodeColumns, insertCode } from '../../../codes/codes.ts';
import { type Design, isDefaultDesign } from '../../../codes/design/design.ts';
import { insertDesign, logoChangedMeanwhile } from '../../../codes/design/stored-design.ts';
import { type NewLogo, lockLogos, lockOwner } from '../../../codes/design/stored-logo.ts';
import { type NewFile, saveFile } from '../../../codes/files/stored-file.ts';
import { proveDesign } from '../../../codes/proof/prove-design.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { designErrors } from '../../../codes/scannability.ts';
import { savePageLogo } from '../../../codes/share-page.ts';
import { invalid } from '../../../errors.ts';
import type { Caller } from '../../../runtime/fair-scheduler.ts';
import type { Services } from '../../services.ts';

/** A new code with everything that was chosen for it. */
export interface CodeDraft {
  created: QrCodeColumns;
  design: Design;
  newLogo?: NewLogo | undefined;
  pageLogo?: { newLogo: NewLogo; alt: string } | undefined;
  /** The file that it opens, or the photo of a contact. */
  file?: NewFile | undefined;
}

type Parts = Pick<Services, 'db' | 'proofs'> & { config: Pick<Services['config'], 'baseUrl' | 'limits'> };

/** All or nothing. Throws a validation error if phones could not read the code in its design. */
export async function createDesignedCode(parts: Parts, caller: Caller, draft: CodeDraft): Promise<QrCode> {
  const { db, config } = parts;
  const { created, design, newLogo, pageLogo, file } = draft;
  const { workspaceId, createdAt: now } = created;
  // Not in the transaction: a proof takes up to a second.
  const proven = await proveDraft(parts, caller, draft);
  const quotaBytes = file ? await findFileQuota(db, workspaceId, config.limits) : 0;
  return db.transaction(async (transaction) => {
    if (newLogo || pageLogo || file) await lockOwner(transaction, workspaceId);
    const errorCorrection = proven?.errorCorrection ?? created.errorCorrection;
    const code = await insertCode(transaction, { ...created, errorCorrection }, config.limits);
    // Both at once: see `lockLogos`.
    await lockLogos(transaction, workspaceId, [design.logo, pageLogo?.newLogo.id]);
    if (proven && !(await insertDesign(transaction, workspaceId, code.id, proven, now)))
      throw logoChangedMeanwhile();
    if (pageLogo) await savePageLogo(transaction, code, pageLogo, now);
    if (file) await saveFile(transaction, code, file, { quotaBytes, now });
    return code;
  });
}

/** A plain code needs no proof, only colors that phones can tell apart. */
async function proveDraft(
  { proofs, config }: Parts,
  caller: Caller,
  { created, design, newLogo }: CodeDraft,
) {
  if (!isDefaultDesign(design))
    return proveDesign(proofs, caller, created, design, config.baseUrl, { newLogo });
  const errors = designErrors(design, created);
  if (errors.length > 0) throw invalid(errors, { code: 'design_unreadable' });
  return undefined;
}
