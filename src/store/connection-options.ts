import { needsPrimarySearch, splitHosts } from './database-url.ts';
import { createPrimarySearch, type PrimarySearch } from './primary-search.ts';

export interface ConnectionOptions {
  connectionString: string;
  /** For `PoolClient`, which then connects to the server that is found. */
  primary?: PrimarySearch;
}

/** What every connection to DATABASE_URL is opened with; the URL may name several hosts. */
export function connectionOptions(databaseUrl: string): ConnectionOptions {
  const urls = splitHosts(databaseUrl);
  const [connectionString = databaseUrl] = urls;
  return needsPrimarySearch(databaseUrl)
    ? { connectionString, primary: createPrimarySearch(urls) }
    : { connectionString };
}
