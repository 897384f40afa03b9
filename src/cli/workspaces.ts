import { Command, Option } from 'commander';
import { changeLimits, type LimitChanges } from '../accounts/account-limits.ts';
import { findWorkspaceBlock } from '../accounts/account-blocks.ts';
import { findUserByEmail } from '../accounts/users.ts';
import { isLabel, normalizeLabel } from '../codes/label.ts';
import { pluralize } from '../doctor/format.ts';
import { AppError } from '../errors.ts';
import { type LimitName, limitNames, type Limits, limitsOf, type Plan, planNames } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { foundWithSlug, maxNameLength } from '../workspaces/founding.ts';
import { listPeople, listWorkspacesOf } from '../workspaces/people.ts';
import { findWorkspaceBySlug } from '../workspaces/former-slugs.ts';
import { findWorkspace, setPlan, type Workspace } from '../workspaces/workspace.ts';
import { parseEmail, parseReset, parseSet } from './accounts.ts';
import { printMessage, printResult } from './output.ts';
import { changeAndRecord, withDatabase } from './with-database.ts';

const slugArgument = ['<slug>', 'what follows /w/ in its address'] as const;

export function workspaceCommand(): Command {
  const workspace = new Command('workspace').description('Workspaces');
  workspace
    .command('list')
    .description("List a person's workspaces: slug, role, plan, members, name")
    .addOption(
      new Option('--email <email>', "the account's email").argParser(parseEmail).makeOptionMandatory(),
    )
    .action((options: { email: string }) =>
      withDatabase(async ({ db }) => {
        const user = await findUserByEmail(db, options.email);
        const workspaces = await listWorkspacesOf(db, user.id);
        for (const { slug, role, plan, members, name } of workspaces)
          printResult([slug, role, plan, members, name].join('\t'));
        printMessage(`${user.email} is a member of ${pluralize(workspaces.length, 'workspace')}.`);
      }),
    );
  workspace
    .command('create')
    .description('Create a workspace with this address, also a reserved one, such as that of OIDC_WORKSPACE')
    .argument(...slugArgument)
    .addOption(new Option('--owner <email>', "the owner's email").argParser(parseEmail).makeOptionMandatory())
    .option('--name <name>', 'its name; otherwise its address')
    .action((slug: string, { owner, name = slug }: { owner: string; name?: string }) =>
      withDatabase(async ({ db }) => {
        const label = normalizeLabel(name);
        if (!isLabel(label) || [...label].length > maxNameLength)
          throw new AppError('validation_error', `Give --name at most ${maxNameLength} visible characters.`);
        const user = await findUserByEmail(db, owner);
        const entry = { action: 'workspace.create', target: user.id, note: `/w/${slug}` } as const;
        await changeAndRecord(db, entry, async (transaction) => {
          await foundWithSlug(transaction, { userId: user.id, name: label, slug, now: new Date() });
        });
        printMessage(`/w/${slug} was created. Its owner is ${user.email}.`);
      }),
    );
  workspace
    .command('members')
    .description('List the members of a workspace: email, role, since when')
    .argument(...slugArgument)
    .action((slug: string) =>
      withDatabase(async ({ db }) => {
        const { id, name, plan } = await requireWorkspace(db, slug);
        for (const { email, role, joinedAt } of await listPeople(db, id))
          printResult([email, role, joinedAt.toISOString()].join('\t'));
        const block = (await findWorkspaceBlock(db, id)) ? ', blocked' : '';
        printMessage(`"${name}" (plan ${plan}${block})`);
      }),
    );
  workspace
    .command('plan')
    .description('Set the plan of a workspace')
    .argument(...slugArgument)
    .addOption(new Option('--plan <plan>', 'its plan').choices(planNames).makeOptionMandatory())
    .action((slug: string, { plan }: { plan: Plan }) =>
      withDatabase(async ({ db }) => {
        const found = await requireWorkspace(db, slug);
        const entry = { action: 'plan.change', target: found.id, note: `${found.plan} → ${plan}` } as const;
        if (plan !== found.plan) await changeAndRecord(db, entry, (to) => setPlan(to, found.id, plan));
        printMessage(`${slug} is now on the ${plan} plan.`);
      }),
    );
  workspace
    .command('limits')
    .description(
      'List the limits of a workspace: name, value, and whether it is that of the plan. Change them with --set and --reset.',
    )
    .argument(...slugArgument)
    .option('--set <limits>', 'limits for this workspace, such as codes=5000,requestsPerHour=60', parseSet)
    .option('--reset <names>', 'limits that are those of the plan again, such as codes,webhooks', parseReset)
    .action((slug: string, options: { set?: Partial<Limits>; reset?: LimitName[] }) =>
      withDatabase(async ({ db, config }) => {
        const { id: workspaceId } = await requireWorkspace(db, slug);
        const changes: LimitChanges = { ...options.set };
        for (const name of options.reset ?? []) changes[name] ??= null;
        const isChanged = await changeLimits(db, { workspaceId, operatorId: undefined }, changes, new Date());
        if (isChanged) printMessage(`The limits of ${slug} were changed.`);
        const found = await findWorkspace(db, workspaceId);
        const limits = limitsOf(found, config.limits);
        for (const name of limitNames)
          printResult([name, limits[name], found.limits?.[name] === undefined ? 'plan' : 'set'].join('\t'));
      }),
    );
  return workspace;
}

export async function requireWorkspace(db: Database, slug: string): Promise<Workspace> {
  const workspace = await findWorkspaceBySlug(db, slug);
  if (workspace) return workspace;
  throw new AppError('not_found', `There is no workspace with the address /w/${slug.slice(0, 60)}.`);
}
