import type { CodeType } from './content/content-types.ts';
import { QrCode } from './qr-code.ts';
import { AppError, invalid } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { type NewLogo, lockLogos, lockOwner, saveLogo } from './design/stored-logo.ts';

/** What the owner chose for the share page of a code. */
export interface PageLook {
  /** The public title, also on prints. */
  title: string | null;
  /** A line below the title. */
  text: string | null;
  /** #RRGGBB */
  color: string | null;
  /** Whether the page and prints show the name where there is no title. */
  showsName: boolean;
}

export function pageLookOf(
  code: Pick<QrCode, 'pageTitle' | 'pageText' | 'pageColor' | 'pageShowsName'>,
): PageLook {
  const { pageTitle: title, pageText: text, pageColor: color, pageShowsName } = code;
  return { title, text, color, showsName: pageShowsName !== false };
}

export function pageLookChanges({ title, text, color, showsName }: Partial<PageLook>) {
  return {
    ...(showsName !== undefined && { pageShowsName: showsName }),
    ...(title !== undefined && { pageTitle: title }),
    ...(text !== undefined && { pageText: text }),
    ...(color !== undefined && { pageColor: color }),
  };
}

/** The owner's logo on the share page of a code. */
export interface PageLogo {
  /** Id of a stored logo. */
  logo: string;
  /** Alternative text. */
  alt: string;
}

export async function findPageLogo(db: Database, codeId: string): Promise<PageLogo | undefined> {
  return db('page_logos').where({ code_id: codeId }).first('logo', 'alt') as Promise<PageLogo | undefined>;
}

/** By code id; codes without a logo are absent. */
export async function findPageLogos(db: Database, codeIds: string[]): Promise<Map<string, PageLogo>> {
  const rows = (await db('page_logos')
    .whereRaw('code_id = ANY(CAST(? AS uuid[]))', [codeIds])
    .select('code_id as codeId', 'logo', 'alt')) as (PageLogo & { codeId: string })[];
  return new Map(rows.map(({ codeId, logo, alt }) => [codeId, { logo, alt }]));
}

/** Called with the stored value before it changes; throws to reject the change. */
type CheckStored = (stored: PageLogo | undefined) => void;

/** Updates the code's `updatedAt`. Without a new logo, the page keeps its logo. */
export async function savePageLogo(
  db: Database,
  { id, workspaceId }: Pick<QrCode, 'id' | 'workspaceId'>,
  { newLogo, alt }: { newLogo?: NewLogo | undefined; alt: string },
  now: Date,
  checkStored: CheckStored = () => undefined,
): Promise<PageLogo> {
  return db.transaction(async (transaction) => {
    await lockOwner(transaction, workspaceId);
    const former = await lockPage(transaction, { id, workspaceId });
    checkStored(former);
    const logo = newLogo?.id ?? former?.logo;
    if (logo === undefined) throw invalid([{ field: 'logo', message: 'must be chosen' }]);
    await lockLogos(transaction, workspaceId, [former?.logo, logo]);
    if (newLogo) await saveLogo(transaction, workspaceId, newLogo, now);
    await transaction('page_logos')
      .insert({ code_id: id, logo, alt, updated_at: now })
      .onConflict('code_id')
      .merge();
    await QrCode.query(transaction).findById(id).patch({ updatedAt: now });
    return { logo, alt };
  });
}

/** Call `lockLogos` first. */
export async function copyPageLogo(
  transaction: Database,
  codeId: string,
  { logo, alt }: PageLogo,
  now: Date,
): Promise<void> {
  await transaction('page_logos').insert({ code_id: codeId, logo, alt, updated_at: now });
}

/** In the transaction that has locked the code. The logo must still be stored. */
export async function putBackPageLogo(
  transaction: Database,
  { id, workspaceId }: Pick<QrCode, 'id' | 'workspaceId'>,
  { logo, alt }: PageLogo,
  now: Date,
): Promise<void> {
  const former = await findPageLogo(transaction, id);
  const known = await lockLogos(transaction, workspaceId, [former?.logo, logo]);
  if (!known.has(logo))
    throw invalid([{ field: 'pageLogo', message: 'is no longer stored: upload it again' }]);
  await transaction('page_logos')
    .insert({ code_id: id, logo, alt, updated_at: now })
    .onConflict('code_id')
    .merge();
  await QrCode.query(transaction).findById(id).patch({ updatedAt: now });
}

export async function deletePageLogo(
  db: Database,
  code: Pick<QrCode, 'id' | 'workspaceId'>,
  now: Date,
  checkStored: CheckStored = () => undefined,
): Promise<void> {
  await db.transaction(async (transaction) => {
    const stored = await lockPage(transaction, code);
    checkStored(stored);
    if (!stored) return;
    await transaction('page_logos').where({ code_id: code.id }).delete();
    await QrCode.query(transaction).findById(code.id).patch({ updatedAt: now });
  });
}

/** Locks the code, which serializes changes of its page. 404 if it was moved to the trash meanwhile. */
async function lockPage(
  transaction: Database,
  { id, workspaceId }: Pick<QrCode, 'id' | 'workspaceId'>,
): Promise<PageLogo | undefined> {
  const code = await QrCode.query(transaction)
    .findOne({ id, user_id: workspaceId })
    .select('id')
    .forNoKeyUpdate();
  if (!code) throw new AppError('not_found', 'There is no such QR code.');
  return findPageLogo(transaction, id);
}

/** A code that may not have been saved yet. */
interface PreviewInput {
  name: string;
  type: CodeType;
  content: string;
  look: PageLook;
  acceptLanguage: string | undefined;
  /** CSP nonce of the page that shows the preview. */
  styleNonce: string;
  pictures: PreviewPictures;
}

/** `data:` URLs: a preview cannot load what only its owner may see. */
export interface PreviewPictures {
  /** The code that joins a Wi-Fi network. */
  join?: string | undefined;
  photo?: string | undefined;
  logo?: { src: string; alt: string } | undefined;
}

/** What a phone opens after a scan: another site, or our share page. Undefined while there is no content. */
export type SharePreview = { href: string } | { page: string } | undefined;

export type PreviewShare = (input: PreviewInput) => SharePreview;
