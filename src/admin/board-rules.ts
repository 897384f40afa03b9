import type { BoardHooks } from '@bull-board/api/dist/types.js';
import { withoutStatement } from '../queue/failed-jobs.ts';

/** Every other action of the board would lose, change or stop scans. */
const allowedChanges = new Set([
  'put /api/queues/:queueName/retry/:queueStatus',
  'put /api/queues/:queueName/promote',
  'put /api/queues/:queueName/:jobId/retry',
  'put /api/queues/:queueName/:jobId/promote',
]);

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
