import { Model, snakeCaseMappers } from 'objection';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { AppError, type FieldError } from '../errors.ts';
import type { Language } from '../http/preferred-language.ts';
import type { Plan } from '../limits.ts';
import type { Actor } from '../store/actor.ts';
import { type Database, sqlState } from '../store/database.ts';

export const uniqueViolation = '23505';

export class User extends Model {
  static override tableName = 'users';
  static override columnNameMappers = snakeCaseMappers();

  declare id: string;
  declare email: string;
  declare passwordHash: string | null;
  /** An operator of the service. */
  declare isAdmin: boolean;
  /** Language of mails to the user. Null: English. */
  declare language: string | null;
  /** IANA name. Null: UTC. */
  declare timeZone: string | null;
  /** The address that was confirmed last. Only where it equals `email`, that is confirmed. */
  declare confirmedEmail: string | null;
  declare createdAt: Date;
  declare updatedAt: Date;

  /** Until the end of the transaction. */
  static lock(transaction: Database, id: string) {
    return User.query(transaction).findById(id).forUpdate().select('id');
  }
}

export function hasConfirmedEmail({ email, confirmedEmail }: User): boolean {
  return confirmedEmail?.toLowerCase() === email.toLowerCase();
}

/** As the actor of a change. */
export const personOf = ({ id, email }: User): Actor => ({ kind: 'person', id, name: email });

export async function findUserByEmail(db: Database, email: string): Promise<User> {
  const user = await User.query(db).whereRaw('lower(email) = lower(?)', [email]).first();
  if (!user) throw new AppError('not_found', `There is no user with the email ${email}`);
  return user;
}

/** A user created here has no password, so cannot sign in until one is set. */
export async function findOrCreateUser(db: Database, email: string, now: Date): Promise<User> {
  return (await createUser(db, { email, passwordHash: null }, now)) ?? findUserByEmail(db, email);
}

export async function setAdmin(db: Database, user: User, isAdmin: boolean, now: Date): Promise<void> {
  await user.$query(db).patch({ isAdmin, updatedAt: now });
}

interface NewUser {
  email: string;
  passwordHash: string | null;
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

/** The OpenID provider says that the address is the user's. Changes nothing where it is not that of the account. */
export async function confirmEmailByProvider(
  db: Database,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  await User.query(db)
    .findById(userId)
    .whereRaw('lower(email) = lower(?)', [email])
    .patch({ confirmedEmail: email });
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

export interface ListedUser {
  id: string;
  email: string;
  plan: Plan;
  isAdmin: boolean;
  isBlocked: boolean;
  createdAt: Date;
  codes: number;
  /** Active ones. */
  keys: number;
}

interface UserSearch {
  /** Part of the email; '' for all. */
  email: string;
  limit: number;
  /** The id of the last user of the previous page. */
  after?: string | undefined;
}

/** For operators: newest first. One more than `limit` where there is another page. */
export async function searchUsers(
  db: Database,
  { email, limit, after }: UserSearch,
): Promise<{ users: ListedUser[]; hasNext: boolean }> {
  const { rows } = (await db.raw(
    `WITH found AS (
       SELECT id, email, (SELECT plan FROM workspaces WHERE workspaces.id = users.id), is_admin, created_at FROM users
       WHERE strpos(lower(email), lower(:email)) > 0 AND (CAST(:after AS uuid) IS NULL OR id < CAST(:after AS uuid))
       ORDER BY id DESC LIMIT :most
     )
     SELECT id, email, plan, is_admin AS "isAdmin", created_at AS "createdAt", ${isBlockedSql('found.id')} AS "isBlocked",
            (SELECT coalesce(sum(codes), 0)::int FROM code_counts WHERE user_id = found.id) AS codes,
            (SELECT count(*) FROM api_keys AS k WHERE user_id = found.id AND ${isActiveKeySql('k')}) AS keys
     FROM found ORDER BY id DESC`,
    { email, after: after !== undefined && isUuid(after) ? after : null, most: limit + 1 } as never,
  )) as { rows: ListedUser[] };
  return { users: rows.slice(0, limit), hasNext: rows.length > limit };
}

export async function countUsers(db: Database, email: string): Promise<number> {
  return User.query(db).whereRaw('strpos(lower(email), lower(?)) > 0', [email]).resultSize();
}

export async function findUser(db: Database, id: string): Promise<User | undefined> {
  return isUuid(id) ? User.query(db).findById(id) : undefined;
}

export interface AccountFigures {
  inactiveKeys: number;
  sessions: number;
  lastSeenAt: Date | null;
}

/** How much an account has besides what is limited, and nothing of what it is. */
export async function readAccountFigures(db: Database, userId: string): Promise<AccountFigures> {
  const { rows } = (await db.raw(
    `SELECT (SELECT count(*) FROM api_keys AS k WHERE user_id = :userId AND NOT ${isActiveKeySql('k')}) AS "inactiveKeys",
            (SELECT count(*) FROM sessions WHERE user_id = :userId) AS sessions,
            (SELECT max(seen_at) FROM sessions WHERE user_id = :userId) AS "lastSeenAt"`,
    { userId },
  )) as { rows: [AccountFigures] };
  return rows[0];
}

/** For a change that needs the password, if the password was replaced during the check. */
export function changedMeanwhile(): AppError {
  return new AppError('validation_error', 'The account was changed in the meantime. Sign in again.', {
    status: 409,
  });
}

/** Locks the account until the end of the transaction. Fails where its password is not the one that was checked any more. */
export async function lockUnchanged(
  transaction: Database,
  { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
): Promise<void> {
  const user = await User.query(transaction).findById(id).forUpdate().select('password_hash');
  if (user?.passwordHash !== passwordHash) throw changedMeanwhile();
}

/** As strict as `<input type=email>`: one @, no spaces, a host with or without a dot. */
const pattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

export function emailErrors(field: string, email: string): FieldError[] {
  return email.length <= 254 && pattern.test(email)
    ? []
    : [{ field, message: 'must be an address such as you@example.com' }];
}

/** Without what follows a plus sign, which most providers deliver to the same mailbox. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const [name = ''] = email.slice(0, at).split('+', 1);
  return name + email.slice(at);
}

/** Whether the account with the id in this column is blocked, as SQL. */
export const isBlockedSql = (userId: string) =>
  `EXISTS (SELECT FROM blocks WHERE kind = 'account' AND value = ${userId}::text)`;

/** Whether an API key works, as SQL: it is neither revoked nor, by the database's clock, expired. */
export const isActiveKeySql = (key: string) =>
  `(${key}.revoked_at IS NULL AND (${key}.expires_at IS NULL OR ${key}.expires_at > now()))`;
