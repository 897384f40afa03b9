import type { Knex } from 'knex';

/** What events say of a code: later columns do not get into it by themselves. */
const codeJson = `jsonb_build_object(${[
  'id',
  'name',
  'type',
  'content',
  'share_token',
  'foreground_color',
  'background_color',
  'size',
  'error_correction',
  'category',
  'is_public',
  'is_favorite',
  'created_at',
  'updated_at',
  'expires_at',
]
  .map((column) => `'${column}', code.${column}`)
  .join(', ')})`;

/**
 * Writes the event for the endpoints that select the codes in `changed`. Later migrations write events with further columns,
 * also for disabled endpoints.
 */
export function deliverEvent(event: string, changed: string, columns: Record<string, string> = {}): string {
  const names = Object.keys(columns).map((name) => `, ${name}`);
  const values = Object.values(columns).map((value) => `, ${value}`);
  const isWanted = columns['status'] ? '' : 'endpoint.is_enabled AND ';
  return `
    INSERT INTO webhook_deliveries (endpoint_id, event, qr_code_id, data${names.join('')})
    SELECT endpoint.id, '${event}', code.id, ${codeJson}${values.join('')}
    FROM ${changed} AS code JOIN webhook_endpoints AS endpoint ON endpoint.user_id = code.user_id
    WHERE ${isWanted}'${event}' = ANY(endpoint.events) AND webhook_selects(endpoint, code.id, code.category)`;
}

export function noteFunctions(columns: Record<string, string> = {}): string {
  const deliver = (event: string, changed: string) => deliverEvent(event, changed, columns);
  return `
    CREATE OR REPLACE FUNCTION note_created_codes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      ${deliver('code.created', 'created')};
      RETURN NULL;
    END $$;
    CREATE OR REPLACE FUNCTION note_updated_codes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      ${deliver('code.updated', 'updated')}
        AND EXISTS (SELECT FROM former WHERE former.id = code.id AND former.updated_at <> code.updated_at);
      RETURN NULL;
    END $$;
    CREATE OR REPLACE FUNCTION note_deleted_codes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      ${deliver('code.deleted', 'deleted')};
      RETURN NULL;
    END $$;`;
}

/**
 * Triggers write the events of codes, in the transaction of the change: none is forgotten, whichever page, command or
 * release makes it. Renewal by a scan is no change: it leaves updated_at as it is.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION webhook_selects(endpoint webhook_endpoints, code_id uuid, category text)
    RETURNS boolean LANGUAGE sql STABLE AS $$
      SELECT (endpoint.code_ids IS NULL AND endpoint.categories IS NULL)
        OR coalesce(code_id = ANY(endpoint.code_ids), false) OR coalesce(category = ANY(endpoint.categories), false)
    $$;
    ${noteFunctions()}
    CREATE TRIGGER note_created_codes AFTER INSERT ON qr_codes
      REFERENCING NEW TABLE AS created FOR EACH STATEMENT EXECUTE FUNCTION note_created_codes();
    CREATE TRIGGER note_updated_codes AFTER UPDATE ON qr_codes
      REFERENCING OLD TABLE AS former NEW TABLE AS updated FOR EACH STATEMENT EXECUTE FUNCTION note_updated_codes();
    CREATE TRIGGER note_deleted_codes AFTER DELETE ON qr_codes
      REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_codes();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER note_created_codes ON qr_codes;
    DROP TRIGGER note_updated_codes ON qr_codes;
    DROP TRIGGER note_deleted_codes ON qr_codes;
    DROP FUNCTION note_created_codes, note_updated_codes, note_deleted_codes, webhook_selects;
  `);
}
