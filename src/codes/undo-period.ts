import { dayMs } from '../runtime/units.ts';

/** How long owners can undo the removal of a file or a design, and restore a deleted code. */
export const undoDays = 30;

/** What was removed at this time or before cannot be restored, and is purged. */
export function undoableSince(now: Date): Date {
  return new Date(now.getTime() - undoDays * dayMs);
}

export function undoableUntil(removedAt: Date): Date {
  return new Date(removedAt.getTime() + undoDays * dayMs);
}
