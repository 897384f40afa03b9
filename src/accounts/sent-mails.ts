import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';

/** Longer than any job of a mail is retried. */
const keptMs = 90 * dayMs;

export async function wasMailSent(db: Database, id: string): Promise<boolean> {
  return (await db('sent_mails').where({ id }).first('id')) !== undefined;
}

export async function noteSentMail(db: Database, id: string, now: Date): Promise<void> {
  await db('sent_mails').insert({ id, sent_at: now }).onConflict('id').ignore();
}

export async function purgeSentMails(db: Database, now: Date): Promise<number> {
  return db('sent_mails')
    .where('sent_at', '<=', new Date(now.getTime() - keptMs))
    .delete();
}
