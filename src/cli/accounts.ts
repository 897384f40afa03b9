import { Command, InvalidArgumentError, Option } from 'commander';
import { createApiKey, listApiKeys, revokeApiKey } from '../accounts/api-keys.ts';
import { hashPassword } from '../accounts/password-hash.ts';
import { newPassword } from '../accounts/passwords.ts';
import { type Plan, planNames } from '../accounts/plans.ts';
import { endSessionsOf } from '../accounts/sessions.ts';
import { changePassword, findOrCreateUser, findUserByEmail, setAdmin, setPlan } from '../accounts/users.ts';
import { isLabel } from '../codes/label.ts';
import { print, say } from './say.ts';
import { withDatabase } from './with-database.ts';

const now = () => new Date();
const emailOption = () =>
  new Option('--email <email>', "the account's e-mail").argParser(parseEmail).makeOptionMandatory();
const planOption = () =>
  new Option('--plan <plan>', "the account's plan, for all its keys").choices(planNames);

export function keyCommand(): Command {
  const key = new Command('key').description('API keys');
  key
    .command('create')
    .description(
      'Make an API key, and the user if need be. The key alone is printed on standard output, once.',
    )
    .addOption(emailOption())
    .addOption(planOption())
    .option('--name <name>', 'a name for the key', parseName, 'command line')
    .action((options: { email: string; plan?: Plan; name: string }) =>
      withDatabase(async ({ db }) => {
        const user = await findOrCreateUser(db, options.email, now());
        if (options.plan) await setPlan(db, user, options.plan, now());
        const created = await createApiKey(db, user.id, options.name, now());
        say(
          `Key "${options.name}" for ${user.email} (plan ${options.plan ?? user.plan}) is made, and printed this once.`,
        );
        print(created);
      }),
    );
  key
    .command('list')
    .description("List a user's keys: prefix, state, when made, name")
    .addOption(emailOption())
    .action((options: { email: string }) =>
      withDatabase(async ({ db }) => {
        const user = await findUserByEmail(db, options.email);
        const keys = await listApiKeys(db, user.id);
        say(`${user.email} (plan ${user.plan}) has ${keys.length} ${keys.length === 1 ? 'key' : 'keys'}.`);
        for (const { prefix, revokedAt, createdAt, name } of keys) {
          print([prefix, revokedAt ? 'revoked' : 'active', createdAt.toISOString(), name].join('\t'));
        }
      }),
    );
  key
    .command('revoke <prefix>')
    .description(
      'Revoke a key for good, named by its prefix (the part between the underscores) or by the whole key',
    )
    .action((given: string) =>
      withDatabase(async ({ db }) => {
        // Of a whole key, only the prefix is looked up and repeated.
        const prefix = /^qrl_([^_]*)/.exec(given)?.[1] ?? given;
        const { name } = await revokeApiKey(db, prefix, now());
        say(`Key ${prefix} ("${name}") is revoked.`);
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
        await setPlan(db, await findUserByEmail(db, options.email), options.plan, now());
        say(`${options.email} is on the plan ${options.plan}.`);
      }),
    );
  user
    .command('admin')
    .description('Make a user an operator, who sees the queue in the browser at /admin/queues')
    .addOption(emailOption())
    .option('--off', 'make the operator an ordinary user again', false)
    .action((options: { email: string; off: boolean }) =>
      withDatabase(async ({ db }) => {
        const found = await findUserByEmail(db, options.email);
        await setAdmin(db, found, !options.off, now());
        say(`${found.email} is ${options.off ? 'an operator no longer' : 'an operator: see /admin/queues'}.`);
      }),
    );
  user
    .command('password')
    .description(
      'Give a user a new password, and make the user if need be. The password alone is printed on standard output; every session ends.',
    )
    .addOption(emailOption())
    .action((options: { email: string }) =>
      withDatabase(async ({ db }) => {
        const found = await findOrCreateUser(db, options.email, now());
        const password = newPassword();
        await changePassword(db, found, hashPassword(password), now());
        await endSessionsOf(db, found.id);
        say(`${found.email} has a new password, printed this once. It can be changed at /account.`);
        print(password);
      }),
    );
  return user;
}

export function parseEmail(text: string): string {
  if (text.length <= 254 && /^[^\s@<>()",;]+@[^\s@<>()",;]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must look like you@example.com.');
}

function parseName(text: string): string {
  const name = text.normalize('NFC').trim();
  // A line break would make two lines of one in the list, an escape sequence would act on the operator's terminal.
  if (isLabel(name) && [...name].length <= 100) return name;
  throw new InvalidArgumentError('It must have 1 to 100 characters that can be seen, in one line.');
}
