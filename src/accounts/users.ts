import { Model, snakeCaseMappers } from 'objection';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../errors.ts';
import type { Language } from '../http/preferred-language.ts';
import type { Limits, Plan } from '../limits.ts';
import { type Database, sqlState } from '../store/database.ts';

const uniqueViolation = '23505';

export class User extends Model {
  static override tableName = 'users';
  static override columnNameMappers = snakeCaseMappers();
  static override jsonAttributes = ['limits'];

  declare id: string;
  declare email: string;
  declare plan: Plan;
  /** Those that an operator has set for this account. Null: all are those of its plan. */
  declare limits: Partial<Limits> | null;
  declare passwordHash: string | null;
  /** An operator of the service. */
  declare isAdmin: boolean;
  /** Of mails to the user. Null: English. */
  declare language: string | null;
  /** IANA name. Null: UTC. */
  declare timeZone: string | null;
  /** The address that was confirmed last. Only where it equals `email`, that is confirmed. */
  declare confirmedEmail: string | null;
  declare createdAt: Date;
  declare updatedAt: Date;
}

export function hasConfirmedEmail({ email, confirmedEmail }: User): boolean {
  return confirmedEmail?.toLowerCase() === email.toLowerCase();
}

export async function findUserByEmail(db: Database, email: string): Promise<User> {
  const user = await User.query(db).whereRaw('lower(email) = lower(?)', [email]).first();
  if (!user) throw new AppError('not_found', `There is no user with the email ${email}`);
  return user;
}

/** A user created here has no password, so cannot sign in until one is set. */
export async function findOrCreateUser(db: Database, email: string, now: Date): Promise<User> {
  await db.raw(
    `INSERT INTO users (id, email, created_at, updated_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (lower(email)) DO NOTHING`,
    [uuidv7({ msecs: now.getTime() }), email, now, now],
  );
  return findUserByEmail(db, email);
}

export async function setPlan(db: Database, user: User, plan: Plan, now: Date): Promise<void> {
  await user.$query(db).patch({ plan, updatedAt: now });
}

export async function setAdmin(db: Database, user: User, isAdmin: boolean, now: Date): Promise<void> {
  await user.$query(db).patch({ isAdmin, updatedAt: now });
}

interface NewUser {
  email: string;
  passwordHash: string;
  language?: Language;
  /** Whether it is certain that the email is theirs. */
  isConfirmed?: boolean;
}

/** `undefined` where the email already has an account. */
export async function createUser(
  db: Database,
  { email, passwordHash, language, isConfirmed = false }: NewUser,
  now: Date,
): Promise<User | undefined> {
  const { rows } = (await db.raw(
    `INSERT INTO users (id, email, confirmed_email, password_hash, language, created_at, updated_at)
     VALUES (:id, :email, :confirmedEmail, :passwordHash, :language, :now, :now)
     ON CONFLICT (lower(email)) DO NOTHING RETURNING id`,
    {
      id: uuidv7({ msecs: now.getTime() }),
      email,
      confirmedEmail: isConfirmed ? email : null,
      passwordHash,
      language: language ?? null,
      now,
    } as never,
  )) as { rows: { id: string }[] };
  return rows[0] && User.query(db).findById(rows[0].id);
}

/** False where another account has the email. Undefined where `user` has another password by now than the one that was checked. */
export async function changeEmail(
  db: Database,
  user: User,
  email: string,
  now: Date,
): Promise<boolean | undefined> {
  try {
    const changed = await User.query(db)
      .findById(user.id)
      .whereRaw('password_hash IS NOT DISTINCT FROM ?', [user.passwordHash])
      .patch({ email, updatedAt: now });
    return changed > 0 ? true : undefined;
  } catch (error) {
    if (sqlState(error) === uniqueViolation) return false;
    throw error;
  }
}

/** With its keys, codes, scans and counters. Returns the share tokens of the deleted codes. */
export async function deleteUser(db: Database, user: User): Promise<string[]> {
  return db.transaction(async (transaction) => {
    await lockAccount(transaction, user.id);
    // First: the codes that are deleted next are no events for them.
    await transaction('webhook_endpoints').where({ user_id: user.id }).delete();
    const codes = (await transaction('qr_codes')
      .where({ user_id: user.id })
      .delete()
      .returning('share_token')) as { share_token: string }[];
    await transaction.raw(
      `DELETE FROM request_windows WHERE subject IN (
         SELECT 'key:' || id FROM api_keys WHERE user_id = :id UNION ALL
         SELECT kind || :id FROM unnest(ARRAY['password-check:', 'confirm-email:', 'second-factor:', 'export:', 'forms:']) AS kind
       )`,
      { id: user.id },
    );
    await User.query(transaction).deleteById(user.id);
    return codes.map(({ share_token }) => share_token);
  });
}

/** In the order in which changes of codes and logos lock them, which would otherwise wait for each other. */
async function lockAccount(transaction: Database, userId: string): Promise<void> {
  await transaction('users').where({ id: userId }).forUpdate().select('id');
  for (const table of ['qr_codes', 'styles', 'logos'])
    await transaction(table).where({ user_id: userId }).orderBy('id').forUpdate().select('id');
}
