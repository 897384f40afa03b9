import { Argument, Command, InvalidArgumentError } from 'commander';
import {
  blockAccount,
  blockWorkspace,
  findWorkspaceBlock,
  unblockAccount,
  unblockWorkspace,
} from '../accounts/account-blocks.ts';
import { findUserByEmail } from '../accounts/users.ts';
import {
  addBlock,
  countCodesLeadingTo,
  findHostBlocks,
  isCodeBlocked,
  listBlocks,
  removeBlock,
} from '../codes/blocks.ts';
import { parseCodeInput } from '../codes/share-token.ts';
import { isTopLevel, parseHostInput } from '../codes/content/hosts.ts';
import type { QrCode } from '../codes/qr-code.ts';
import { findAnyCode } from '../codes/codes.ts';
import { pluralize } from '../doctor/format.ts';
import { AppError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { parseEmail } from './accounts.ts';
import { printMessage, printResult } from './output.ts';
import { requireWorkspace } from './workspaces.ts';
import { changeAndRecord, withDatabase } from './with-database.ts';

const codeArgument = () =>
  new Argument('<code>', "the code's share link, share token or id").argParser(parseCode);
const hostArgument = () =>
  new Argument('<host>', 'a host, or any URL on it; subdomains are included').argParser(parseHost);

const emailArgument = () => new Argument('<email>', "the account's email").argParser(parseEmail);

interface BlockOptions {
  reason?: string;
}

interface HostBlockOptions extends BlockOptions {
  topLevel?: boolean;
}

export function blockCommand(): Command {
  const block = new Command('block').description(
    'Take down codes because of abuse: within 10 seconds their share links respond with 410',
  );
  block
    .command('code')
    .description('Block one code')
    .addArgument(codeArgument())
    .option('--reason <text>', 'the reason, shown only in the list of blocks')
    .action((given: string, { reason }: BlockOptions) =>
      withDatabase(async ({ db }) => {
        const { id } = await requireCode(db, given);
        const added = { kind: 'code', value: id, reason: reason ?? null, createdAt: new Date() } as const;
        const entry = { action: 'code.block', target: id, note: reason } as const;
        const isNew = await changeAndRecord(db, entry, (to) => addBlock(to, added));
        printMessage(
          isNew ? `Blocked the code ${id}: 1 code is affected.` : `Code ${id} is already blocked.`,
        );
      }),
    );
  block
    .command('host')
    .description('Block every code that leads to a host or its subdomains, and reject new ones')
    .addArgument(hostArgument())
    .option('--reason <text>', 'the reason, shown only in the list of blocks')
    .option(
      '--top-level',
      'confirm that a whole top-level domain is meant, such as every host that ends in .zip',
    )
    .action((host: string, { reason, topLevel }: HostBlockOptions) => {
      if (!topLevel && isTopLevel(host))
        block.error(
          `error: ${host} is a top-level domain: every code to a host that ends in .${host} would be taken down. If you mean that, add --top-level.`,
        );
      return withDatabase(async ({ db }) => {
        const added = { kind: 'host', value: host, reason: reason ?? null, createdAt: new Date() } as const;
        const entry = { action: 'host.block', target: host, note: reason } as const;
        const isNew = await changeAndRecord(db, entry, (to) => addBlock(to, added));
        const count = await countCodesLeadingTo(db, host);
        const affected = count === 1 ? '1 code is affected' : `${count} codes are affected`;
        printMessage(
          `${isNew ? `Blocked ${host}` : `${host} is already blocked`}, including its subdomains: ${affected}.`,
        );
      });
    });
  block
    .command('account')
    .description('Block an account: nobody can sign in, its keys are refused, and all its codes are blocked')
    .addArgument(emailArgument())
    .option('--reason <text>', 'the reason, shown only in the list of blocks')
    .action((email: string, { reason }: BlockOptions) =>
      withDatabase(async ({ db }) => {
        const user = await findUserByEmail(db, email);
        if (user.isAdmin)
          throw new AppError(
            'validation_error',
            `${user.email} is an operator. Run \`qrelay user admin --email ${user.email} --off\` first.`,
          );
        const entry = { action: 'account.block', target: user.id, note: reason } as const;
        const isNew = await changeAndRecord(db, entry, (to) =>
          blockAccount(to, user.id, reason ?? null, new Date()),
        );
        printMessage(
          isNew ? `Blocked the account ${user.email} and its codes.` : `${user.email} is already blocked.`,
        );
      }),
    );
  block
    .command('workspace')
    .description('Block a workspace: its keys are refused, and all its codes are blocked')
    .argument('<slug>', 'what follows /w/ in its address')
    .option('--reason <text>', 'the reason, shown only in the list of blocks')
    .action((slug: string, { reason }: BlockOptions) =>
      withDatabase(async ({ db }) => {
        const { id } = await requireWorkspace(db, slug);
        const entry = { action: 'workspace.block', target: id, note: reason } as const;
        const isNew = await changeAndRecord(db, entry, (to) =>
          blockWorkspace(to, id, reason ?? null, new Date()),
        );
        printMessage(isNew ? `Blocked the workspace ${slug} and its codes.` : `${slug} is already blocked.`);
      }),
    );
  return block;
}

export function unblockCommand(): Command {
  const unblock = new Command('unblock').description('Undo a block; takes effect within 10 seconds');
  unblock
    .command('code')
    .description('Unblock one code')
    .addArgument(codeArgument())
    .action((given: string) =>
      withDatabase(async ({ db }) => {
        const code = await findAnyCode(db, given);
        // A block outlives its code and can still be undone by the id.
        const id = code?.id ?? given;
        const wasBlocked = await changeAndRecord(db, { action: 'code.unblock', target: id }, (to) =>
          removeBlock(to, 'code', id),
        );
        if (!wasBlocked && !code) throw noSuchCode(given);
        const rest = code ? await otherBlock(db, code) : '';
        if (!wasBlocked) throw new AppError('not_found', `Code ${id} is not blocked.${rest}`);
        printMessage(`Unblocked the code ${id}.${rest}`);
      }),
    );
  unblock
    .command('host')
    .description('Unblock a host, as named in the list of blocks')
    .addArgument(hostArgument())
    .action((host: string) =>
      withDatabase(async ({ db }) => {
        const wasBlocked = await changeAndRecord(db, { action: 'host.unblock', target: host }, (to) =>
          removeBlock(to, 'host', host),
        );
        const above = await findHostBlocks(db, [host]);
        const rest = above.length === 0 ? '' : ` A parent domain is still blocked: ${above.join(', ')}.`;
        if (!wasBlocked) throw new AppError('not_found', `${host} is not blocked.${rest}`);
        printMessage(`Unblocked ${host}.${rest}`);
      }),
    );
  unblock
    .command('account')
    .description('Unblock an account and its codes')
    .addArgument(emailArgument())
    .action((email: string) =>
      withDatabase(async ({ db }) => {
        const user = await findUserByEmail(db, email);
        const wasBlocked = await changeAndRecord(db, { action: 'account.unblock', target: user.id }, (to) =>
          unblockAccount(to, user.id),
        );
        if (!wasBlocked) throw new AppError('not_found', `${user.email} is not blocked.`);
        printMessage(`Unblocked the account ${user.email} and its codes.`);
      }),
    );
  unblock
    .command('workspace')
    .description('Unblock a workspace')
    .argument('<slug>', 'what follows /w/ in its address')
    .action((slug: string) =>
      withDatabase(async ({ db }) => {
        const { id } = await requireWorkspace(db, slug);
        const wasBlocked = await changeAndRecord(db, { action: 'workspace.unblock', target: id }, (to) =>
          unblockWorkspace(to, id),
        );
        if (!wasBlocked) throw new AppError('not_found', `The workspace ${slug} is not blocked.`);
        printMessage(`Unblocked the workspace ${slug}.`);
      }),
    );
  return unblock;
}

async function otherBlock(db: Database, code: QrCode): Promise<string> {
  if (!(await isCodeBlocked(db, code))) return '';
  const isOfWorkspace = await findWorkspaceBlock(db, code.workspaceId);
  return isOfWorkspace ? ' Its workspace is still blocked.' : ' A host that it leads to is still blocked.';
}

export function blocksCommand(): Command {
  return new Command('blocks')
    .description(
      'List all blocks, oldest first: code, host, account or workspace, its id, name, email or address, time, reason',
    )
    .action(() =>
      withDatabase(async ({ db }) => {
        const blocks = await listBlocks(db);
        for (const { kind, value, email, slug, createdAt, reason } of blocks) {
          printResult(
            [
              kind,
              email ?? slug ?? value,
              createdAt.toISOString(),
              (reason ?? '').replaceAll(/\s+/g, ' '),
            ].join('\t'),
          );
        }
        printMessage(blocks.length === 0 ? 'Nothing is blocked.' : `${pluralize(blocks.length, 'block')}.`);
      }),
    );
}

async function requireCode(db: Database, idOrToken: string): Promise<QrCode> {
  const code = await findAnyCode(db, idOrToken);
  if (!code) throw noSuchCode(idOrToken);
  return code;
}

function noSuchCode(idOrToken: string): AppError {
  return new AppError('not_found', `There is no code with the id or token ${idOrToken}.`);
}

function parseCode(text: string): string {
  const code = parseCodeInput(text);
  if (code !== undefined) return code;
  throw new InvalidArgumentError('Must be a share link, a share token (10 letters and digits) or an id.');
}

function parseHost(text: string): string {
  const host = parseHostInput(text);
  if (host !== undefined) return host;
  throw new InvalidArgumentError('Must be a host, such as example.com, or a URL on it.');
}
