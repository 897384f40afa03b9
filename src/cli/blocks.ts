import { Argument, Command, InvalidArgumentError } from 'commander';
import { validate as isUuid } from 'uuid';
import {
  addBlock,
  countCodesLeadingTo,
  findHostBlocks,
  isCodeBlocked,
  listBlocks,
  removeBlock,
} from '../codes/blocks.ts';
import { isTopLevel, parseHostInput } from '../codes/content/hosts.ts';
import type { QrCode } from '../codes/qr-code.ts';
import { isShareToken } from '../codes/share-token.ts';
import { findAnyCode } from '../codes/shared-code.ts';
import { pluralize } from '../doctor/format.ts';
import { AppError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { printMessage, printResult } from './output.ts';
import { withDatabase } from './with-database.ts';

const codeArgument = () =>
  new Argument('<code>', "the code's share link, share token or id").argParser(parseCode);
const hostArgument = () =>
  new Argument('<host>', 'a host, or any URL on it; subdomains are included').argParser(parseHost);

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
        const isNew = await addBlock(db, {
          kind: 'code',
          value: id,
          reason: reason ?? null,
          createdAt: new Date(),
        });
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
        const isNew = await addBlock(db, {
          kind: 'host',
          value: host,
          reason: reason ?? null,
          createdAt: new Date(),
        });
        const count = await countCodesLeadingTo(db, host);
        const affected = count === 1 ? '1 code is affected' : `${count} codes are affected`;
        printMessage(
          `${isNew ? `Blocked ${host}` : `${host} is already blocked`}, including its subdomains: ${affected}.`,
        );
      });
    });
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
        const wasBlocked = await removeBlock(db, 'code', id);
        if (!wasBlocked && !code) throw noSuchCode(given);
        const rest =
          code && (await isCodeBlocked(db, code)) ? ' A host that it leads to is still blocked.' : '';
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
        const wasBlocked = await removeBlock(db, 'host', host);
        const above = await findHostBlocks(db, [host]);
        const rest = above.length === 0 ? '' : ` A parent domain is still blocked: ${above.join(', ')}.`;
        if (!wasBlocked) throw new AppError('not_found', `${host} is not blocked.${rest}`);
        printMessage(`Unblocked ${host}.${rest}`);
      }),
    );
  return unblock;
}

export function blocksCommand(): Command {
  return new Command('blocks')
    .description('List all blocks, oldest first: code or host, its id or name, time, reason')
    .action(() =>
      withDatabase(async ({ db }) => {
        const blocks = await listBlocks(db);
        for (const { kind, value, createdAt, reason } of blocks) {
          printResult(
            [kind, value, createdAt.toISOString(), (reason ?? '').replaceAll(/\s+/g, ' ')].join('\t'),
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

/** Uses only the token of a share link, because the service may have several host names. */
function parseCode(text: string): string {
  const given = text.trim();
  const token = /\/r\/([^/?#.]*)(?:\.\w+)?\/?(?:[?#].*)?$/.exec(given)?.[1] ?? given;
  if (isUuid(token)) return token.toLowerCase();
  if (isShareToken(token)) return token;
  throw new InvalidArgumentError('Must be a share link, a share token (10 letters and digits) or an id.');
}

function parseHost(text: string): string {
  const host = parseHostInput(text);
  if (host !== undefined) return host;
  throw new InvalidArgumentError('Must be a host, such as example.com, or a URL on it.');
}
