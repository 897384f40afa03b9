import { raw } from 'objection';
import { validate as isUuid } from 'uuid';
import type { Database } from '../store/database.ts';
import { QrCode } from './qr-code.ts';

/** A code and whether anything is blocked at all: where nothing is, nobody need ask whether the code is. */
export type SharedCode = QrCode & { hasAnyBlocks: boolean };

export async function findSharedCode(db: Database, token: string): Promise<SharedCode | undefined> {
  const code = await QrCode.query(db)
    .findOne({ share_token: token })
    .select('qr_codes.*', raw('EXISTS (SELECT FROM blocks)').as('has_any_blocks'));
  return code as SharedCode | undefined;
}

/** Whoever owns it: for the operator, who knows a code by its id or by its token. */
export async function findAnyCode(db: Database, idOrToken: string): Promise<QrCode | undefined> {
  return QrCode.query(db).findOne(isUuid(idOrToken) ? { id: idOrToken } : { share_token: idOrToken });
}
