import { Command, InvalidArgumentError, Option } from 'commander';
import { changeLimits, type LimitChanges } from '../accounts/account-limits.ts';
import { createApiKey, listKeyUse, revokeApiKey } from '../accounts/api-keys.ts';
import { isScope, type Scope, scopes } from '../accounts/key-scopes.ts';
import { changePassword } from '../accounts/account-links.ts';
import { hashPassword } from '../accounts/password-hash.ts';
import { newPassword } from '../accounts/passwords.ts';
import {
  type LimitName,
  limitNames,
  type Limits,
  limitsOf,
  parseLimits,
  type Plan,
  planNames,
} from '../limits.ts';
import { recordAction } from '../accounts/operator-actions.ts';
import { unlinkIdentities } from '../accounts/identities.ts';
import { endSessionsOf } from '../accounts/sessions.ts';
import { removeSecondFactors } from '../accounts/second-factors.ts';
import { findOrCreateUser, findUserByEmail, setAdmin, type User } from '../accounts/users.ts';
import { isLabel, normalizeLabel } from '../codes/label.ts';
import { endOfDay } from '../codes/lifetime.ts';
import { pluralize } from '../doctor/format.ts';
import { AppError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { printMessage, printResult } from './output.ts';
import { changeAndRecord, withDatabase } from './with-database.ts';
import { findOwnWorkspace, findWorkspace, setPlan, type Workspace } from '../workspaces/workspace.ts';

const now = () => new Date();
const emailOption = () =>
  new Option('--email <email>', "the account's email").argParser(parseEmail).makeOptionMandatory();
const planOption = () =>
  new Option('--plan <plan>', "the account's plan, for all its keys").choices(planNames);

export function keyCommand(): Command {
  const key = new Command('key').description('API keys');
  key
    .command('create')
    .description(
      'Create an API key, and the user if there is none. Standard output has only the key, which is shown once.',
    )
    .addOption(emailOption())
    .addOption(planOption())
    .option('--name <name>', 'a name for the key', parseName, 'command line')
    .option(
      '--scopes <scopes>',
      `what the key can do, some of ${scopes.join(', ')}, separated by commas (default: everything)`,
      parseScopes,
    )
    .option(
      '--expires <day>',
      'the last day on which the key works, in UTC, such as 2030-12-31 (default: none)',
      parseExpiry,
    )
    .action((options: { email: string; plan?: Plan; name: string; scopes?: Scope[]; expires?: Date }) =>
      withDatabase(async ({ db }) => {
        const user = await findOrCreateUser(db, options.email, now());
        const { plan } = options;
        if (plan) await changePlan(db, user, plan);
        const workspace = await requireOwnWorkspace(db, user);
        let created = '';
        await changeAndRecord(
          db,
          { action: 'key.create', target: user.id, note: options.name },
          async (to) => {
            const grant = { scopes: options.scopes ?? null, expiresAt: options.expires ?? null };
            created = await createApiKey(to, workspace.id, options.name, now(), grant);
          },
        );
        printMessage(
          `Created the key "${options.name}" for ${user.email} (plan ${workspace.plan}). It is not shown again.`,
        );
        printResult(created);
      }),
    );
  key
    .command('list')
    .description("List a user's keys: prefix, state, creation time, name, scopes, expiry, last use")
    .addOption(emailOption())
    .action((options: { email: string }) =>
      withDatabase(async ({ db }) => {
        const user = await findUserByEmail(db, options.email);
        const { id, plan } = await requireOwnWorkspace(db, user);
        const keys = (await listKeyUse(db, id)).toReversed();
        printMessage(`${user.email} (plan ${plan}) has ${pluralize(keys.length, 'key')}.`);
        for (const { key: listed, lastUsedAt } of keys) {
          const { prefix, createdAt, name, scopes: granted, expiresAt } = listed;
          const times = [expiresAt, lastUsedAt].map((at) => at?.toISOString() ?? 'never');
          const fields = [prefix, listed.stateAt(now()), createdAt.toISOString(), name];
          printResult([...fields, granted?.join(',') ?? 'everything', ...times].join('\t'));
        }
      }),
    );
  key
    .command('revoke <prefix>')
    .description(
      'Revoke a key permanently, by its prefix (the part between the underscores) or by the whole key',
    )
    .action((given: string) =>
      withDatabase(async ({ db }) => {
        // The message must not repeat the secret part of a whole key.
        const prefix = /^qrl_([^_]*)/.exec(given)?.[1] ?? given;
        const { name } = await db.transaction(async (to) => {
          const revoked = await revokeApiKey(to, prefix, now());
          const entry = {
            operatorId: undefined,
            action: 'key.revoke',
            target: revoked.workspaceId,
            note: revoked.name,
          } as const;
          await recordAction(to, entry, now());
          return revoked;
        });
        printMessage(`Revoked the key ${prefix} ("${name}").`);
      }),
    );
  return key;
}

export function userCommand(): Command {
  const user = new Command('user').description('Users');
  user
    .command('plan')
    .description("Set a user's plan")
    .addOption(emailOption())
    .addOption(planOption().makeOptionMandatory())
    .action((options: { email: string; plan: Plan }) =>
      withDatabase(async ({ db }) => {
        await changePlan(db, await findUserByEmail(db, options.email), options.plan);
        printMessage(`${options.email} is now on the ${options.plan} plan.`);
      }),
    );
  user
    .command('limits')
    .description(
      "List a user's limits: name, value, and whether it is that of the plan. Change them with --set and --reset.",
    )
    .addOption(emailOption())
    .option('--set <limits>', 'limits for this user, such as codes=5000,requestsPerHour=60', parseSet)
    .option('--reset <names>', 'limits that are those of the plan again, such as codes,webhooks', parseReset)
    .action((options: { email: string; set?: Partial<Limits>; reset?: LimitName[] }) =>
      withDatabase(async ({ db, config }) => {
        const { id: workspaceId } = await requireOwnWorkspace(db, await findUserByEmail(db, options.email));
        const changes: LimitChanges = { ...options.set };
        for (const name of options.reset ?? []) changes[name] ??= null;
        const isChanged = await changeLimits(db, { workspaceId, operatorId: undefined }, changes, now());
        if (isChanged) printMessage(`The limits of ${options.email} were changed.`);
        const found = await findWorkspace(db, workspaceId);
        const limits = limitsOf(found, config.limits);
        for (const name of limitNames)
          printResult([name, limits[name], found.limits?.[name] === undefined ? 'plan' : 'set'].join('\t'));
      }),
    );
  user
    .command('admin')
    .description('Make a user an operator, who can see and change the service at /admin')
    .addOption(emailOption())
    .option('--off', 'make the operator an ordinary user again', false)
    .action((options: { email: string; off: boolean }) =>
      withDatabase(async ({ db }) => {
        const found = await findUserToPromote(db, options.email);
        const action = options.off ? 'operator.remove' : 'operator.add';
        await changeAndRecord(db, { action, target: found.id }, (to) =>
          setAdmin(to, found, !options.off, now()),
        );
        printMessage(
          `${found.email} is ${options.off ? 'no longer an operator' : 'now an operator: see /admin'}.`,
        );
      }),
    );
  user
    .command('password')
    .description(
      'Generate a new password for a user, and create the user if there is none. Standard output has only the password. All sessions of the user end.',
    )
    .addOption(emailOption())
    .action((options: { email: string }) =>
      withDatabase(async ({ db, config }) => {
        const found = await findOrCreateUser(db, options.email, now());
        const password = newPassword();
        await changeAndRecord(db, { action: 'account.password', target: found.id }, (to) =>
          changePassword(to, found, hashPassword(password), now()),
        );
        printMessage(
          `${found.email} has a new password, which is not shown again. ${config.openId?.isOnly ? 'It works once OIDC_ONLY is off.' : 'The user can change it at /account.'}`,
        );
        printResult(password);
      }),
    );
  user
    .command('factors')
    .description(
      'Turn off two-factor sign-in for a user who has lost authenticator app, passkeys and recovery codes',
    )
    .addOption(emailOption())
    .requiredOption('--off', 'turn it off: the password alone is enough again')
    .action((options: { email: string }) =>
      withDatabase(async ({ db }) => {
        const found = await findUserByEmail(db, options.email);
        await changeAndRecord(db, { action: 'account.two-factor', target: found.id }, (to) =>
          removeSecondFactors(to, found.id),
        );
        printMessage(`${found.email} signs in with the password alone.`);
      }),
    );
  user
    .command('identity')
    .description(
      'Remove the link of an account to the OpenID provider. The next sign-in there with its verified email links it again.',
    )
    .addOption(emailOption())
    .requiredOption('--off', 'remove the link')
    .action((options: { email: string }) =>
      withDatabase(async ({ db }) => {
        const found = await findUserByEmail(db, options.email);
        await changeAndRecord(db, { action: 'account.identity', target: found.id }, async (to) => {
          await unlinkIdentities(to, found.id);
          await endSessionsOf(to, found.id);
        });
        printMessage(`${found.email} is not linked to an OpenID provider. All sessions have ended.`);
      }),
    );
  return user;
}

/** The first operator of an installation usually has no account yet. */
async function findUserToPromote(db: Database, email: string): Promise<User> {
  return findUserByEmail(db, email).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw new AppError(
      'not_found',
      `${error.message}. \`qrelay user password --email ${email}\` creates the account.`,
    );
  });
}

/** What commands with an email mean. */
async function requireOwnWorkspace(db: Database, user: User): Promise<Workspace> {
  const workspace = await findOwnWorkspace(db, user);
  if (workspace) return workspace;
  const message = `The workspace that was created with the account ${user.email} was deleted. \`qrelay workspace list --email ${user.email}\` lists the others.`;
  throw new AppError('not_found', message);
}

async function changePlan(db: Database, user: User, plan: Plan): Promise<void> {
  const workspace = await requireOwnWorkspace(db, user);
  if (plan === workspace.plan) return;
  const entry = { action: 'plan.change', target: user.id, note: `${workspace.plan} → ${plan}` } as const;
  await changeAndRecord(db, entry, (to) => setPlan(to, workspace.id, plan));
}

export function parseEmail(text: string): string {
  if (text.length <= 254 && /^[^\s@<>()",;]+@[^\s@<>()",;]+$/.test(text)) return text;
  throw new InvalidArgumentError('Must look like you@example.com.');
}

export function parseSet(text: string): Partial<Limits> {
  const { limits, errors } = parseLimits(text);
  if (errors.length === 0) return limits;
  throw new InvalidArgumentError(`It ${errors.join('; it ')}.`);
}

export function parseReset(text: string): LimitName[] {
  return text.split(',').map((given) => {
    const name = limitNames.find((each) => each === given.trim());
    if (!name) throw new InvalidArgumentError(`Must be names of ${limitNames.join(', ')}.`);
    return name;
  });
}

function parseName(text: string): string {
  const name = normalizeLabel(text);
  // A line break would split the entry in `key list`, and an escape sequence would reach the operator's terminal.
  if (isLabel(name) && [...name].length <= 100) return name;
  throw new InvalidArgumentError('Must be one line of 1 to 100 visible characters.');
}

function parseScopes(text: string): Scope[] {
  const given = [...new Set(text.split(',').map((each) => each.trim()))];
  if (given.every(isScope)) return given;
  throw new InvalidArgumentError(`Must be some of ${scopes.join(', ')}, separated by commas.`);
}

function parseExpiry(day: string): Date {
  const end = endOfDay(day);
  if (end === undefined) throw new InvalidArgumentError('Must be a day, such as 2030-12-31.');
  if (new Date(end) <= now()) throw new InvalidArgumentError('This day is over.');
  return new Date(end);
}
