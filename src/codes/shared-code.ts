import { raw } from 'objection';
import { validate as isUuid } from 'uuid';
import type { Database } from '../store/database.ts';
import type { Design } from './design/design.ts';
import type { PageLogo } from './logo/page-logo.ts';
import { QrCode } from './qr-code.ts';

/** `hasAnyBlocks` is false where nothing is blocked at all, which saves the query for this code. */
export type SharedCode = QrCode & {
  hasAnyBlocks: boolean;
  design: Partial<Design> | null;
  /** The id of the photo of a contact. */
  photo: string | null;
  pageLogo: PageLogo | null;
};

export async function findSharedCode(db: Database, token: string): Promise<SharedCode | undefined> {
  const code = await QrCode.query(db).findOne({ share_token: token }).select(
    'qr_codes.*',
    raw('EXISTS (SELECT FROM blocks)').as('has_any_blocks'),
    raw('(SELECT design FROM designs WHERE code_id = qr_codes.id)').as('design'),
    // Only contacts are looked up.
    raw(
      `CASE WHEN type = 'vcard' THEN (SELECT file.id FROM code_files AS file WHERE code_id = qr_codes.id AND kind = 'photo') END`,
    ).as('photo'),
    raw(
      `(SELECT jsonb_build_object('logo', logo, 'alt', alt) FROM page_logos WHERE code_id = qr_codes.id)`,
    ).as('page_logo'),
  );
  return code as SharedCode | undefined;
}

/** For operators: any owner's code, by id or share token. */
export async function findAnyCode(db: Database, idOrToken: string): Promise<QrCode | undefined> {
  return QrCode.query(db).findOne(isUuid(idOrToken) ? { id: idOrToken } : { share_token: idOrToken });
}
