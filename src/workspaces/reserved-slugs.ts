import type { Database } from '../store/database.ts';

// The database refuses reserved slugs, as those that are taken, for whoever founds a workspace, signs up or changes a slug.

/** Until an operator assigns it: people join the workspace of OIDC_WORKSPACE, whoever has founded it. */
export async function reserveSlug(db: Database, slug: string): Promise<void> {
  await db('reserved_slugs').insert({ slug, reserved_until: 'infinity' }).onConflict('slug').merge();
}

/** Lets this transaction give the slug to a workspace. It stays reserved for when the workspace is deleted. */
export async function allowReservedSlug(transaction: Database, slug: string): Promise<void> {
  await transaction.raw(`SELECT set_config('qrelay.assigned_slug', ?, true)`, [slug]);
}

export async function purgeReservedSlugs(db: Database, now: Date): Promise<number> {
  return db('reserved_slugs').where('reserved_until', '<=', now).delete();
}
