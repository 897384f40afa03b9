import type { Knex } from 'knex';

/**
 * The last UTC day on which a code was scanned in a city, so that the cities of a period are counted without reading every
 * day. Maintained by a trigger, because workers of the previous release record, too. It runs once per city and day.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE scan_cities (
      qr_code_id uuid NOT NULL,
      city text NOT NULL,
      last_day date NOT NULL,
      PRIMARY KEY (qr_code_id, city)
    );
    CREATE INDEX scan_cities_day ON scan_cities (qr_code_id, last_day);
    CREATE FUNCTION note_city() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO scan_cities AS known (qr_code_id, city, last_day) VALUES (NEW.qr_code_id, NEW.value, NEW.day)
      ON CONFLICT (qr_code_id, city) DO UPDATE SET last_day = excluded.last_day WHERE known.last_day < excluded.last_day;
      RETURN NULL;
    END $$;
    CREATE TRIGGER note_city AFTER INSERT ON scan_counters
      FOR EACH ROW WHEN (NEW.dimension = 'city') EXECUTE FUNCTION note_city();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER note_city ON scan_counters;
    DROP FUNCTION note_city;
    DROP TABLE scan_cities;
  `);
}
