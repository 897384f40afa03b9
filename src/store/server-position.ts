import type { Database } from './database.ts';

/** What the lag of a replica is computed from. Any role may read it. */
export interface ServerPosition {
  isStandby: boolean;
  /** In bytes: the WAL that a standby has replayed, or that a primary has flushed. Null on a standby that has replayed nothing. */
  position: number | null;
  /** Of the cluster: the same on a primary and its replicas, and on no other server. */
  systemId: string;
  /** Of a primary: changes with each promotion. */
  timeline: string | null;
}

const statement = `
  SELECT pg_is_in_recovery() AS "isStandby",
         pg_wal_lsn_diff(
           CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END, '0/0'
         )::bigint AS position,
         (SELECT system_identifier::text FROM pg_control_system()) AS "systemId",
         CASE WHEN pg_is_in_recovery() THEN NULL ELSE left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) END AS timeline`;

export async function readServerPosition(db: Database): Promise<ServerPosition> {
  const { rows } = (await db.raw(statement)) as { rows: [ServerPosition] };
  return rows[0];
}
