import { Client } from 'pg';
import { servers } from './servers.ts';

let made = 0;

export interface TestDatabase {
  url: string;
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

async function create(template: string): Promise<TestDatabase> {
  made += 1;
  const name = `test_${process.pid}_${made}`;
  await asSuperuser(`CREATE DATABASE ${name} TEMPLATE ${template} OWNER qrelay`);
  const url = new URL(servers().postgres.url);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => asSuperuser(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
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
