const closing: (() => Promise<void>)[] = [];

/** For what all test files of a process share. A worker of mocha's is ended instead, without being asked to close anything. */
export function closeAtEndOfRun(close: () => Promise<void>): void {
  closing.push(close);
}

export async function closeShared(): Promise<void> {
  for (const close of closing.splice(0).toReversed()) await close();
}
