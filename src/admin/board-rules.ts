import type { BoardHooks } from '@bull-board/api/dist/types.js';

/** Every other action of the board would lose, change or stop scans. */
const allowedChanges = new Set([
  'put /api/queues/:queueName/retry/:queueStatus',
  'put /api/queues/:queueName/promote',
  'put /api/queues/:queueName/:jobId/retry',
  'put /api/queues/:queueName/:jobId/promote',
]);

const refusal = 'Not allowed, because scans would be lost. This board can only retry and promote jobs.';

/** The message of a failed knex statement starts with the statement and its values, up to the last dash. */
const failedStatement = /^(\w*error: )?(?:insert into|update|delete from|select|with)\s[\s\S]* - /i;

/** What operators may do and see. Enforced on the server, whatever buttons the page shows. */
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
