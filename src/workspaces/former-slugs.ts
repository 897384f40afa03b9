import { type Database, sqlState } from '../store/database.ts';
import { findWorkspace, lockWorkspace, Workspace, type WorkspaceId } from './workspace.ts';

/** Older ones are free for other workspaces again. */
const maxFormerSlugs = 5;
const uniqueViolation = '23505';

/** The former slug leads to the workspace from now on. `taken`: another workspace has the new one, or had it before. */
export async function changeSlug(
  db: Database,
  id: WorkspaceId,
  slug: string,
  now: Date,
): Promise<'changed' | 'unchanged' | 'taken'> {
  try {
    return await db.transaction(async (transaction) => {
      await lockWorkspace(transaction, id);
      const { slug: former } = await findWorkspace(transaction, id);
      if (former === slug) return 'unchanged';
      await Workspace.query(transaction).findById(id).patch({ slug });
      await transaction('former_slugs').where({ slug, workspace_id: id }).delete();
      await transaction('former_slugs')
        .insert({ slug: former, workspace_id: id, replaced_at: now })
        .onConflict('slug')
        .merge();
      await transaction.raw(
        `DELETE FROM former_slugs WHERE workspace_id = :id AND slug NOT IN (
           SELECT slug FROM former_slugs WHERE workspace_id = :id ORDER BY replaced_at DESC, slug LIMIT :most
         )`,
        { id, most: maxFormerSlugs },
      );
      return 'changed';
    });
  } catch (error) {
    if (sqlState(error) === uniqueViolation) return 'taken';
    throw error;
  }
}

/** For operators, who name it so. */
export async function findWorkspaceBySlug(db: Database, slug: string): Promise<Workspace | undefined> {
  return slug.length <= 40 && /^[a-z0-9-]+$/.test(slug) ? withSlugNowOrBefore(db, slug) : undefined;
}

/** The workspace that has the slug, or else the one that had it before. */
export function withSlugNowOrBefore(db: Database, slug: string) {
  return Workspace.query(db)
    .whereRaw('slug = ? OR id = (SELECT workspace_id FROM former_slugs WHERE slug = ?)', [slug, slug])
    .orderByRaw('(slug = ?) DESC', [slug])
    .limit(1)
    .first();
}
