import type { Knex } from 'knex';

/** The processes of a database agree on the queue that they use. Empty until a process of this release has started. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE queues_in_use (
      -- The previous one is there during a move, until its jobs are done.
      role text PRIMARY KEY CHECK (role IN ('current', 'previous')),
      engine text NOT NULL CHECK (engine IN ('postgres', 'redis')),
      -- Of Redis: a random id that is also stored there.
      identity text NOT NULL,
      -- For messages, without user and password.
      address text NOT NULL,
      since timestamptz NOT NULL DEFAULT now()
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE queues_in_use');
}
