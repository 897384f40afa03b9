import type { OperatorAction } from '../accounts/operator-actions.ts';
import type { BoardHooks } from '@bull-board/api/dist/types.js';
import { withoutStatement } from '../queue/queue-access.ts';

/** Every other action of the board would lose, change or stop scans. */
const allowedChanges = new Map<string, OperatorAction>([
  ['put /api/queues/:queueName/retry/:queueStatus', 'queue.retry'],
  ['put /api/queues/:queueName/promote', 'queue.promote'],
  ['put /api/queues/:queueName/:jobId/retry', 'queue.retry'],
  ['put /api/queues/:queueName/:jobId/promote', 'queue.promote'],
]);

const maxNameLength = 100;

export interface BoardChange {
  action: OperatorAction;
  /** The queue. */
  target: string;
  note: string | undefined;
}

/** An allowed change as the audit log has it, named by its route: a path can be written in several ways. */
export function describeChange(
  method: string,
  route: string,
  { queueName = '', jobId }: Record<string, string>,
): BoardChange | undefined {
  const action = allowedChanges.get(`${method} ${route}`);
  const note = jobId === undefined ? undefined : `Job ${jobId.slice(0, maxNameLength)}`;
  return action && { action, target: queueName.slice(0, maxNameLength), note };
}

const refusal = 'Not allowed, because scans would be lost. This board can only retry and promote jobs.';

/** What operators may do and see. Enforced on the server, whatever buttons the page shows. */
export const boardRules: Required<BoardHooks> = {
  before({ method, route }) {
    if (method === 'get' || allowedChanges.has(`${method} ${route}`)) return;
    return { allow: false, status: 403, message: refusal };
  },
  after: (_context, result) => ({
    ...result,
    body: JSON.parse(JSON.stringify(result.body), (_key, value: unknown) =>
      typeof value === 'string' ? withoutStatement(value) : value,
    ) as typeof result.body,
  }),
};
