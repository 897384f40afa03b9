import { SetupError } from '../errors.ts';
import { isDatabaseUnavailable, isLoginRefused, plainMessage, sqlState } from './database.ts';
import { tlsError } from './tls-errors.ts';

/** The message for an error that an operator can fix; undefined for a bug. */
export function setupErrorMessage(error: unknown): string | undefined {
  if (error instanceof SetupError) return error.message;
  if (!(error instanceof Error)) return undefined;
  const code = sqlState(error) ?? '';
  const tls = tlsError(error);
  if (tls) return `The database is not trusted: ${tls.reason}. ${tls.remedy}`;
  if (isDatabaseUnavailable(error)) {
    return `The database cannot be reached (${code || plainMessage(error)}). Start it, or set DATABASE_URL to a running server.`;
  }
  if (isLoginRefused(code)) return `The database rejects DATABASE_URL: ${plainMessage(error)}.`;
  if (code === '42P01')
    return 'The database has not been migrated. Run `node dist/src/cli.js migrate` first.';
  return undefined;
}
