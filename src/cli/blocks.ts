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
import { AppError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { print, say } from './say.ts';
import { withDatabase } from './with-database.ts';

const codeArgument = () =>
  new Argument('<code>', "the code's share address, its share token or its id").argParser(parseCode);
const hostArgument = () =>
  new Argument('<host>', 'a host, or any address on it; the hosts below it are meant too').argParser(
    parseHost,
  );

interface BlockOptions {
  reason?: string;
}

interface HostBlockOptions extends BlockOptions {
  topLevel?: boolean;
}

export function blockCommand(): Command {
  const block = new Command('block').description(
    'Take codes down because of abuse: within 10 seconds their share addresses answer 410',
  );
  block
    .command('code')
    .description('Block one code')
    .addArgument(codeArgument())
    .option('--reason <text>', 'why, for the list of blocks; nobody else sees it')
    .action((given: string, { reason }: BlockOptions) =>
      withDatabase(async ({ db }) => {
        const { id } = await needCode(db, given);
        const isNew = await addBlock(db, {
          kind: 'code',
          value: id,
          reason: reason ?? null,
          createdAt: new Date(),
        });
        say(isNew ? `Code ${id} is blocked: 1 code is affected.` : `Code ${id} is blocked already.`);
      }),
    );
  block
    .command('host')
    .description('Block every code that leads to a host or to one below it, and refuse new ones')
    .addArgument(hostArgument())
    .option('--reason <text>', 'why, for the list of blocks; nobody else sees it')
    .option('--top-level', 'yes, a whole top-level domain, such as every host that ends in .zip')
    .action((host: string, { reason, topLevel }: HostBlockOptions) => {
      if (!topLevel && isTopLevel(host))
        block.error(
          `error: ${host} is a whole top-level domain: every code to a host that ends in .${host} would be taken down. If that is meant, add --top-level.`,
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
        say(`${host} is blocked${isNew ? '' : ' already'}, with every host below it: ${affected}.`);
      });
    });
  return block;
}

export function unblockCommand(): Command {
  const unblock = new Command('unblock').description('Undo a block: it holds no more within 10 seconds');
  unblock
    .command('code')
    .description('Unblock one code')
    .addArgument(codeArgument())
    .action((given: string) =>
      withDatabase(async ({ db }) => {
        const code = await findAnyCode(db, given);
        // A block outlives its code: by the id it can still be undone.
        const id = code?.id ?? given;
        const wasBlocked = await removeBlock(db, 'code', id);
        if (!wasBlocked && !code) throw noSuchCode(given);
        const rest = code && (await isCodeBlocked(db, code)) ? ' A host that it leads to still is.' : '';
        if (!wasBlocked) throw new AppError('not_found', `Code ${id} is not blocked by itself.${rest}`);
        say(`Code ${id} is not blocked any more.${rest}`);
      }),
    );
  unblock
    .command('host')
    .description('Unblock a host, named as it was blocked')
    .addArgument(hostArgument())
    .action((host: string) =>
      withDatabase(async ({ db }) => {
        const wasBlocked = await removeBlock(db, 'host', host);
        const above = await findHostBlocks(db, [host]);
        const rest = above.length === 0 ? '' : ` A host above it still is: ${above.join(', ')}.`;
        if (!wasBlocked) throw new AppError('not_found', `${host} is not blocked by itself.${rest}`);
        say(`${host} is not blocked any more.${rest}`);
      }),
    );
  return unblock;
}

export function blocksCommand(): Command {
  return new Command('blocks')
    .description('List what is blocked, oldest first: code or host, its id or name, when, reason')
    .action(() =>
      withDatabase(async ({ db }) => {
        const blocks = await listBlocks(db);
        for (const { kind, value, createdAt, reason } of blocks) {
          print([kind, value, createdAt.toISOString(), (reason ?? '').replaceAll(/\s+/g, ' ')].join('\t'));
        }
        say(
          blocks.length === 0
            ? 'Nothing is blocked.'
            : `${blocks.length} ${blocks.length === 1 ? 'block' : 'blocks'}.`,
        );
      }),
    );
}

async function needCode(db: Database, idOrToken: string): Promise<QrCode> {
  const code = await findAnyCode(db, idOrToken);
  if (!code) throw noSuchCode(idOrToken);
  return code;
}

function noSuchCode(idOrToken: string): AppError {
  return new AppError('not_found', `There is no code with the id or token ${idOrToken}.`);
}

/** Of a share address only the token is used: the service may be known by several names. */
function parseCode(text: string): string {
  const given = text.trim();
  const token = /\/r\/([^/?#.]*)(?:\.\w+)?\/?(?:[?#].*)?$/.exec(given)?.[1] ?? given;
  if (isUuid(token)) return token.toLowerCase();
  if (isShareToken(token)) return token;
  throw new InvalidArgumentError(
    'It must be a share address, a share token (10 letters and digits) or an id.',
  );
}

function parseHost(text: string): string {
  const host = parseHostInput(text);
  if (host !== undefined) return host;
  throw new InvalidArgumentError('It must be a host, such as example.com, or an address on it.');
}
