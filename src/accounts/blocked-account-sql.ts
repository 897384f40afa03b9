/** Whether the account with the id in this column is blocked, as SQL. */
export const isBlockedSql = (userId: string) =>
  `EXISTS (SELECT FROM blocks WHERE kind = 'account' AND value = ${userId}::text)`;
