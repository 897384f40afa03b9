/**
 * Errors of a server that is no longer a primary. Its address may resolve to the new primary by now, but an open
 * connection never finds out. Errors from Lua scripts have the code somewhere in their message.
 */
export function needsNewConnection({ message }: Error): boolean {
  return /\b(READONLY|MASTERDOWN|UNBLOCKED)\b/.test(message);
}
