import { Client } from 'pg';
import { servers } from './servers.ts';

let made = 0;

export interface TestDatabase {
  url: string;
  /** The same database, for what only a superuser may do. */
  superuserUrl: string;
  drop(): Promise<void>;
}

/** A fresh copy of the migrated, empty database. */
export function createTestDatabase(): Promise<TestDatabase> {
  return create('qrelay');
}

/** A database without a single table. */
export function createBareDatabase(): Promise<TestDatabase> {
  return create('template1');
}

/** A copy of a database that nobody is connected to. */
export function copyDatabase({ url }: TestDatabase): Promise<TestDatabase> {
  return create(new URL(url).pathname.slice(1));
}

async function create(template: string): Promise<TestDatabase> {
  made += 1;
  const name = `test_${process.pid}_${made}`;
  await asSuperuser(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY OWNER qrelay`);
  const at = (server: string) => Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const { url, superuserUrl } = servers().postgres;
  return {
    url: at(url),
    superuserUrl: at(superuserUrl),
    drop: () => asSuperuser(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function asSuperuser(statement: string): Promise<void> {
  const client = new Client({ connectionString: servers().postgres.superuserUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
