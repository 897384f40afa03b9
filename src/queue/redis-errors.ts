/**
 * Answers of a server that is no primary any more. Its address may lead to the new one by now, and a connection that
 * stays open never finds out. Scripts have the word somewhere in their message.
 */
export function needsNewConnection({ message }: Error): boolean {
  return /\b(READONLY|MASTERDOWN|UNBLOCKED)\b/.test(message);
}
