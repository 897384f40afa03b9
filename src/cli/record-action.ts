import { type OperatorAction, recordAction } from '../accounts/operator-actions.ts';
import type { Database } from '../store/database.ts';

interface Entry {
  action: OperatorAction;
  target: string;
  note?: string | undefined;
}

/** Makes a change and records it for the audit log, both or neither. False where `change` had nothing to do. */
export async function changeAndRecord(
  db: Database,
  entry: Entry,
  change: (transaction: Database) => Promise<boolean | void>,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    if ((await change(transaction)) === false) return false;
    await recordAction(transaction, { operatorId: undefined, ...entry }, new Date());
    return true;
  });
}
