import { Model, snakeCaseMappers } from 'objection';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';

/** Longer than any job of a mail is retried. */
const keptMs = 90 * dayMs;

class SentMail extends Model {
  static override tableName = 'sent_mails';
  static override columnNameMappers = snakeCaseMappers();

  declare id: string;
  declare sentAt: Date;
}

export async function wasMailSent(db: Database, id: string): Promise<boolean> {
  return (await SentMail.query(db).findById(id)) !== undefined;
}

export async function noteSentMail(db: Database, id: string, now: Date): Promise<void> {
  await SentMail.query(db).insert({ id, sentAt: now }).onConflict('id').ignore();
}

export async function purgeSentMails(db: Database, now: Date): Promise<number> {
  return SentMail.query(db)
    .where('sent_at', '<=', new Date(now.getTime() - keptMs))
    .delete();
}
