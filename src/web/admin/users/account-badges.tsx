import type { Plan } from '../../../limits.ts';

export const planTitles: Record<Plan, string> = { free: 'Free', pro: 'Pro' };

/** What is special about an account. */
export function AccountBadges({ isAdmin, isBlocked }: { isAdmin: boolean; isBlocked: boolean }) {
  return (
    <>
      {isAdmin && <span class="badge good">operator</span>}{' '}
      {isBlocked && <span class="badge bad">blocked</span>}
    </>
  );
}
