import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Model } from 'objection';
import { invalid } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import type { Picture } from '../image/draw.ts';
import { maxLogos } from '../files/upload.ts';
import type { Images } from '../image/image-thread.ts';
import type { Printer } from '../print/print-codes.ts';
import type { Proofs } from '../proof/proofs.ts';
import { lockWorkspace, ownedColumns, type WorkspaceId } from '../../workspaces/workspace.ts';

/** The database deletes it with its last use. */
class StoredLogo extends Model {
  static override tableName = 'logos';
  static override columnNameMappers = ownedColumns();

  declare id: string;
  declare workspaceId: WorkspaceId;
  declare png: Buffer;
  declare createdAt: Date;
}

/** A decoded logo that may not have been stored yet. */
export interface NewLogo {
  id: string;
  png: Uint8Array;
}

/** Equal pictures are one logo within an account, and different logos across accounts. */
export function newLogo(workspaceId: WorkspaceId, png: Uint8Array): NewLogo {
  return { id: createHash('sha256').update(`${workspaceId}\n`).update(png).digest('base64url'), png };
}

/** Must be the first lock of a change that stores a logo: it enforces the number of logos and avoids deadlocks. */
export async function lockOwner(transaction: Database, workspaceId: WorkspaceId): Promise<void> {
  await lockWorkspace(transaction, workspaceId);
}

/**
 * Locks and returns the given logos that the account has, so that they are not deleted meanwhile. All at once and
 * sorted: otherwise two changes that swap logos would deadlock.
 */
export async function lockLogos(
  transaction: Database,
  workspaceId: WorkspaceId,
  ids: (string | null | undefined)[],
): Promise<Set<string>> {
  const wanted = ids.filter((id) => typeof id === 'string');
  if (wanted.length === 0) return new Set();
  const locked = await StoredLogo.query(transaction)
    .select('id')
    .where({ user_id: workspaceId })
    .whereIn('id', wanted)
    .orderBy('id')
    .forUpdate();
  return new Set(locked.map(({ id }) => id));
}

/** Does nothing if the account has it. Call `lockOwner` and `lockLogos` first. */
export async function saveLogo(
  transaction: Database,
  workspaceId: WorkspaceId,
  { id, png }: NewLogo,
  now: Date,
): Promise<void> {
  const countOthers = () =>
    StoredLogo.query(transaction).where({ user_id: workspaceId }).whereNot({ id }).resultSize();
  if ((await countOthers()) >= maxLogos) await purgeRemovedWithLogo(transaction, workspaceId);
  if ((await countOthers()) >= maxLogos) {
    const message = `is one too many: a workspace can have ${maxLogos} different ones. Use one of them, or remove one`;
    throw invalid([{ field: 'logo', message }]);
  }
  await StoredLogo.query(transaction)
    .insert({ id, workspaceId, png: Buffer.from(png), createdAt: now })
    .onConflict('id')
    .merge(['user_id']);
}

/** The logos of an account, one by one: a hundred at most. */
export async function* ownedLogos(db: Database, workspaceId: WorkspaceId): AsyncGenerator<NewLogo> {
  const logos = await StoredLogo.query(db).select('id').where({ user_id: workspaceId }).orderBy('id');
  for (const { id } of logos) {
    const stored = await StoredLogo.query(db).findById(id).select('png');
    if (stored) yield { id, png: stored.png };
  }
}

/** A SHA-256 in base64url. */
const logoId = /^[\w-]{43}$/;

/** The PNG of a logo that the account has. */
export async function findOwnLogo(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
): Promise<Buffer | undefined> {
  if (!logoId.test(id)) return undefined;
  return (await StoredLogo.query(db).findOne({ id, user_id: workspaceId }).select('png'))?.png;
}

/**
 * Removed designs, and those of codes in the trash, must not use up the logos of an account. What a deletion of codes has locked
 * is skipped, not waited for: it goes on to lock what is deleted here.
 */
async function purgeRemovedWithLogo(transaction: Database, workspaceId: WorkspaceId): Promise<void> {
  const own = { user_id: workspaceId };
  // Before the codes, as where the trash is emptied.
  const logos = (await transaction('logos')
    .where(own)
    .orderBy('id')
    .forUpdate()
    .skipLocked()
    .pluck('id')) as string[];
  const isOfLogo = [`design ->> 'logo' = ANY(?)`, [logos]] as const;
  const withLogo = [
    transaction('designs')
      .whereRaw(...isOfLogo)
      .select('code_id'),
    transaction('page_logos').whereIn('logo', logos).select('code_id'),
  ];
  const codes = (await transaction('qr_codes')
    .whereIn('id', transaction('trashed_codes').where(own).select('code_id'))
    .where((either) => withLogo.forEach((query) => void either.orWhereIn('id', query)))
    .orderBy('id')
    .forNoKeyUpdate()
    .skipLocked()
    .pluck('id')) as string[];
  await transaction('removed_designs')
    .where(own)
    .whereRaw(...isOfLogo)
    .delete();
  await transaction('designs')
    .whereIn('code_id', codes)
    .whereRaw(...isOfLogo)
    .delete();
  await transaction('page_logos').whereIn('code_id', codes).whereIn('logo', logos).delete();
  // Last, because the deletions above add rows here.
  await transaction('replaced_logos').where(own).whereIn('logo', logos).delete();
}

export interface Logos {
  /** The PNG of a stored logo. */
  find(id: string): Promise<Uint8Array | undefined>;
  /** Adds the logo of the picture's design, if any. */
  addTo(picture: Picture): Promise<Picture>;
}

const cacheBytes = 8 * 1024 * 1024;

export function createLogos(db: Database): Logos {
  // A logo never changes: its id is a hash of the picture.
  const cache = new LRUCache<string, Uint8Array>({
    maxSize: cacheBytes,
    sizeCalculation: (png) => png.length,
  });

  async function find(id: string): Promise<Uint8Array | undefined> {
    const known = cache.get(id);
    if (known) return known;
    const stored = await StoredLogo.query(db).findById(id).select('png');
    if (!stored) return undefined;
    // Copied: the Buffer is a slice of a larger one, which would be kept and sent to threads.
    const png = new Uint8Array(stored.png);
    cache.set(id, png);
    return png;
  }

  return {
    find,
    async addTo(picture) {
      const id = picture.design?.logo;
      return id && !picture.logo ? { ...picture, logo: await find(id) } : picture;
    },
  };
}

/** Threads have no database, so logos are added to what they draw. */

export function imagesWithLogos(images: Images, logos: Logos): Images {
  return {
    ...images,
    draw: async (caller, picture, format) => images.draw(caller, await logos.addTo(picture), format),
  };
}

export function proofsWithLogos(proofs: Proofs, logos: Logos): Proofs {
  return { ...proofs, prove: async (caller, picture) => proofs.prove(caller, await logos.addTo(picture)) };
}

export function printerWithLogos(printer: Printer, logos: Logos): Printer {
  return {
    ...printer,
    async drawPage(caller, { labels, ...page }) {
      const complete = labels.map(async (label) => ({ ...label, picture: await logos.addTo(label.picture) }));
      return printer.drawPage(caller, { ...page, labels: await Promise.all(complete) });
    },
  };
}
