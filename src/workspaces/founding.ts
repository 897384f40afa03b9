import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../errors.ts';
import { defaultLimits, limitsOf, type PlanLimits } from '../limits.ts';
import { type Database, inTransaction, sqlState } from '../store/database.ts';
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

/** How many workspaces somebody owns, and may own: as many as the most generous of them allows. */
export async function readOwnedWorkspaces(
  db: Database,
  userId: string,
  ofPlans: PlanLimits = defaultLimits,
): Promise<{ owned: number; limit: number }> {
  const workspaces = await Workspace.query(db)
    .join('workspace_members AS member', 'member.workspace_id', 'workspaces.id')
    .where({ 'member.user_id': userId, 'member.role': 'owner' })
    .select('workspaces.plan', 'workspaces.limits');
  const limit = Math.max(
    ofPlans.free.workspaces,
    ...workspaces.map((each) => limitsOf(each, ofPlans).workspaces),
  );
  return { owned: workspaces.length, limit };
}

/** Throws if the person owns as many as they may. Their row is locked meanwhile, so that this holds for parallel requests. */
export async function foundWorkspace(
  db: Database,
  { userId, name, now }: Founding,
  ofPlans: PlanLimits,
): Promise<Workspace> {
  return db.transaction(async (transaction) => {
    await transaction('users').where({ id: userId }).forUpdate().select('id');
    const { owned, limit } = await readOwnedWorkspaces(transaction, userId, ofPlans);
    if (owned >= limit) {
      const message = `You own ${owned} workspaces and may own ${limit}. Delete one or hand one over first, or ask the operator of this service for a higher limit.`;
      throw new AppError('validation_error', message, { code: 'quota_exceeded' });
    }
    const workspace = await insertWorkspace(transaction, name, now);
    await transaction('workspace_members').insert({
      workspace_id: workspace.id,
      user_id: userId,
      role: 'owner',
      joined_at: now,
    });
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
