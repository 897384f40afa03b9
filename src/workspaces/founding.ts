import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../errors.ts';
import type { PlanLimits } from '../limits.ts';
import { type Database, inTransaction, sqlState } from '../store/database.ts';
import { addMember } from './members.ts';
import { lockOwner, readOwnedWorkspaces, tooManyOwned } from './owned-workspaces.ts';
import { allowReservedSlug } from './reserved-slugs.ts';
import { isReservedSlug, slugOf, suffixedSlug } from './slug.ts';
import { Workspace, type WorkspaceId } from './workspace.ts';

export const maxNameLength = 60;
const uniqueViolation = '23505';
const maxTries = 5;

interface Founding {
  /** The person who becomes its owner. */
  userId: string;
  name: string;
  now: Date;
}

/** Throws if the person owns as many as they may. Their row is locked meanwhile, so that this holds for parallel requests. */
export async function foundWorkspace(
  db: Database,
  { userId, name, now }: Founding,
  ofPlans: PlanLimits,
): Promise<Workspace> {
  return db.transaction(async (transaction) => {
    await lockOwner(transaction, userId);
    const { owned, limit } = await readOwnedWorkspaces(transaction, userId, ofPlans);
    if (owned >= limit) throw tooManyOwned(owned, limit);
    const workspace = await insertWorkspace(transaction, name, now);
    await addMember(transaction, { workspaceId: workspace.id, userId, role: 'owner' }, now);
    return workspace;
  });
}

const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** For operators: with this slug, also a reserved one, and whatever the owner has already. */
export async function foundWithSlug(
  db: Database,
  { userId, name, slug, now }: Founding & { slug: string },
): Promise<Workspace> {
  if (!slugPattern.test(slug)) {
    const message = `"${slug.slice(0, 60)}" is no address of a workspace. Use up to 40 lower-case letters, digits and hyphens.`;
    throw new AppError('validation_error', message);
  }
  return inTransaction(db, async (transaction) => {
    await lockOwner(transaction, userId);
    await allowReservedSlug(transaction, slug);
    if (await Workspace.query(transaction).findOne({ slug })) {
      const message = `There is a workspace with the address /w/${slug}. Choose another one.`;
      throw new AppError('validation_error', message, { status: 409 });
    }
    const id = uuidv7({ msecs: now.getTime() }) as WorkspaceId;
    const row = { id, slug, name, plan: 'free' as const, createdAt: now };
    const workspace = await Workspace.query(transaction).insertAndFetch(row);
    await addMember(transaction, { workspaceId: id, userId, role: 'owner' }, now);
    return workspace;
  });
}

async function insertWorkspace(transaction: Database, name: string, now: Date): Promise<Workspace> {
  const base = slugOf(name);
  for (let tries = 0; ; tries += 1) {
    const slug = tries === 0 && !isReservedSlug(base) ? base : suffixedSlug(base);
    const id = uuidv7({ msecs: now.getTime() }) as WorkspaceId;
    try {
      // A savepoint: the transaction goes on if the slug is taken.
      return await transaction.transaction(async (savepoint) =>
        Workspace.query(savepoint as Database).insertAndFetch({
          id,
          slug,
          name,
          plan: 'free',
          createdAt: now,
        }),
      );
    } catch (error) {
      if (sqlState(error) !== uniqueViolation || tries >= maxTries) throw error;
    }
  }
}

export async function renameWorkspace(db: Database, id: WorkspaceId, name: string): Promise<void> {
  await inTransaction(db, async (transaction) => Workspace.query(transaction).findById(id).patch({ name }));
}
