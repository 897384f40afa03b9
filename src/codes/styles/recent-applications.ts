import type { Database } from '../../store/database.ts';
import { applicationLifetimeMs } from './style-applications.ts';

/** Of each kind: many new codes must not hide what the owner has asked for. */
const maxShown = 20;

/** How an application of a style ended, or how far it is. Codes that were deleted meanwhile do not count. */
export interface RecentApplication {
  id: string;
  styleName: string;
  createdAt: Date;
  /** Whether it is the default style of new codes, which nobody selected. */
  isForNewCodes: boolean;
  waiting: number;
  applied: number;
  refused: number;
}

const ofKind = (condition: string) => `(
  SELECT * FROM style_applications WHERE user_id = :ownerId AND created_at > :since AND ${condition}
  ORDER BY id DESC LIMIT ${maxShown}
)`;

/** Newest first. They are kept for seven days. */
export async function findRecentApplications(
  db: Database,
  ownerId: string,
  now: Date,
): Promise<RecentApplication[]> {
  const { rows } = (await db.raw(
    `SELECT recent.id, style.name AS "styleName", recent.created_at AS "createdAt",
       recent.keeps_designs AS "isForNewCodes", waiting, applied, refused
     FROM (${ofKind('keeps_designs')} UNION ALL ${ofKind('NOT keeps_designs')}) AS recent
     JOIN styles AS style ON style.id = recent.style_id
     CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE is_applied IS NULL)::int AS waiting,
         count(*) FILTER (WHERE is_applied)::int AS applied,
         count(*) FILTER (WHERE NOT is_applied)::int AS refused
       FROM style_application_codes WHERE application_id = recent.id
     ) AS codes
     ORDER BY recent.id DESC`,
    { ownerId, since: new Date(now.getTime() - applicationLifetimeMs) },
  )) as { rows: RecentApplication[] };
  return rows;
}
