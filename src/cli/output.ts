import { AppError, SetupError } from '../errors.ts';

/** Messages for people go to standard error; standard output has only results, so that they can be piped. */
export function printMessage(line: string): void {
  console.error(line);
}

export function printResult(line: string): void {
  console.log(line);
}

/** What to do about an error that an operator can fix; the stack of a bug. */
export async function failureMessage(error: unknown): Promise<string> {
  if (error instanceof AppError || error instanceof SetupError) return error.message;
  // Loads the database's packages, which commands that fail before they need them do without.
  const { setupErrorMessage } = await import('../store/database.ts');
  return String(setupErrorMessage(error) ?? (error instanceof Error ? error.stack : error));
}
