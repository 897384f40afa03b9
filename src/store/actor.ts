import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import { escapeLiteral } from 'pg';

/** Who makes a change, as the history says. */
export interface Actor {
  kind: 'person' | 'key' | 'operator' | 'service';
  /** Of a person or a key. */
  id?: string | undefined;
  /** The address of a person at this time, or the name of a key. */
  name?: string | undefined;
  requestId?: string | undefined;
}

const acting = new AsyncLocalStorage<Actor>();

/** Attributes what transactions change while `work` runs to this actor. */
export function runAs<Value>(actor: Actor, work: () => Value): Value {
  return acting.run(actor, work);
}

const service: Actor = { kind: 'service' };

/** Without question marks, which knex would take for placeholders. */
function literalOf(actor: Actor): string {
  return escapeLiteral(JSON.stringify(actor).replaceAll('?', String.raw`\u003f`));
}

interface KnexTransaction {
  isolationLevel?: string;
  readOnly?: boolean;
  begin(connection: unknown): Promise<unknown>;
  query(connection: unknown, sql: string): Promise<unknown>;
}

/**
 * Lets every transaction of the database name its actor, in the round trip that begins it. Nested ones need not. A statement
 * without a transaction cannot: a setting of the session would be that of another client behind a pooler.
 */
export function nameActors(db: Knex): void {
  const client = db.client as { transaction(...args: unknown[]): KnexTransaction };
  const open = client.transaction.bind(client);
  client.transaction = (...args) => {
    // knex calls `begin` later, when it has a connection.
    const transaction = open(...args);
    const actor = acting.getStore() ?? service;
    if (!transaction.readOnly && transaction.isolationLevel === undefined) {
      const sql = `BEGIN; SELECT set_config('qrelay.actor', ${literalOf(actor)}, true)`;
      transaction.begin = (connection) => transaction.query(connection, sql);
    }
    return transaction;
  };
}

/** For a transaction that finds out who it is: somebody signs up or in. Within the request that it is part of. */
export async function nameActor(transaction: Knex, actor: Actor): Promise<void> {
  const named = JSON.stringify({ ...actor, requestId: acting.getStore()?.requestId });
  await transaction.raw(`SELECT set_config('qrelay.actor', ?, true)`, [named]);
}

/** For a transaction that deletes the workspace: entries about its codes would be deleted with it. */
export async function skipHistory(transaction: Knex, workspaceId: string): Promise<void> {
  await transaction.raw(`SELECT set_config('qrelay.deleted_workspace', ?, true)`, [workspaceId]);
}
