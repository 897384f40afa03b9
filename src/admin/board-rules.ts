import type { BoardHooks } from '@bull-board/api/dist/types.js';

/** Everything else that the board can do would lose scans, change them, or stop them. */
const allowedChanges = new Set([
  'put /api/queues/:queueName/retry/:queueStatus',
  'put /api/queues/:queueName/promote',
  'put /api/queues/:queueName/:jobId/retry',
  'put /api/queues/:queueName/:jobId/promote',
]);

const refusal =
  'Not allowed here: a job holds scans. This board retries and promotes jobs, and removes none.';

/** Where a statement of knex failed, the message begins with it and all its values, up to the last dash. */
const failedStatement = /^(\w*error: )?(?:insert into|update|delete from|select|with)\s[\s\S]* - /i;

/** What operators may do and see, held by the server whatever the page offers. */
export const boardRules: Required<BoardHooks> = {
  before({ method, route }) {
    if (method === 'get' || allowedChanges.has(`${method} ${route}`)) return;
    return { allow: false, status: 403, message: refusal };
  },
  after: (_context, result) => ({
    ...result,
    body: JSON.parse(JSON.stringify(result.body), (_key, value: unknown) =>
      typeof value === 'string' ? value.replace(failedStatement, '$1') : value,
    ) as typeof result.body,
  }),
};
