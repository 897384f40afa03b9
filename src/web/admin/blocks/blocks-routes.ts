import type { Context } from 'koa';
import {
  blockAccount,
  blockWorkspace,
  unblockAccount,
  unblockWorkspace,
} from '../../../accounts/account-blocks.ts';
import { recordAction } from '../../../accounts/operator-actions.ts';
import { findUserByEmail } from '../../../accounts/users.ts';
import { addBlock, listBlocks, removeBlock } from '../../../codes/blocks.ts';
import { parseCodeInput } from '../../../codes/share-token.ts';
import { isTopLevel, parseHostInput } from '../../../codes/content/hosts.ts';
import { findAnyCode } from '../../../codes/codes.ts';
import { AppError, invalid } from '../../../errors.ts';
import { findWorkspaceBySlug } from '../../../workspaces/former-slugs.ts';
import type { Database } from '../../../store/database.ts';
import type { FormState } from '../../ui/controls.tsx';
import { queryText, requireValid, submit } from '../../ui/form.ts';
import type { Services } from '../../services.ts';
import { createPages } from '../../ui/page.ts';
import { userOf } from '../../middleware/session.ts';
import { maxSearchLength, normalizeReason, reasonErrors } from '../admin-layout.tsx';
import { type BlockKind, BlocksView, blockKinds } from './blocks-view.tsx';
import { field } from '../../middleware/forms.ts';
import { type Routes, createRoutes } from '../../routes.ts';

const blocksPerPage = 50;
const maxPages = 1_000;
const maxValueLength = 2_000;
const emptyForm: FormState = { values: { kind: 'host' }, errors: [] };
const flashTexts = {
  added: 'The block was added. It takes effect within 10 seconds.',
  known: 'This is already blocked. The existing block was not changed.',
  removed: 'The block was removed. Codes work again within 10 seconds, unless another block applies.',
  gone: 'This block no longer exists.',
};

/** Codes, hosts and accounts that operators took down. */
export function blocksPages(parts: Services): Routes {
  const { db, now } = parts;
  const routes = createRoutes('/admin/blocks');
  const addNamed = createAddBlock(parts);

  const pages = createPages(parts, flashTexts);

  async function showBlocks(ctx: Context, form: FormState = emptyForm): Promise<void> {
    const text = queryText(ctx, 'q').slice(0, maxSearchLength).trim();
    const page = Math.min(maxPages, Math.max(1, Number.parseInt(queryText(ctx, 'page'), 10) || 1));
    const found = await listBlocks(db, {
      text,
      order: 'desc',
      limit: blocksPerPage + 1,
      offset: (page - 1) * blocksPerPage,
    });
    const address = (more: Record<string, string>) => {
      const query = new URLSearchParams({ ...(text && { q: text }), ...more }).toString();
      return query ? `/admin/blocks?${query}` : '/admin/blocks';
    };
    pages.show(
      ctx,
      BlocksView,
      {
        blocks: found.slice(0, blocksPerPage),
        text,
        form,
        firstPage: page > 1 ? address({}) : undefined,
        nextPage: found.length > blocksPerPage ? address({ page: String(page + 1) }) : undefined,
      },
      { status: form.error ? 400 : 200 },
    );
  }

  routes.get('operator', '/', (ctx) => showBlocks(ctx));

  routes.post('operator', '/', (ctx) => {
    const kind = blockKinds.find(([name]) => name === field(ctx, 'kind'))?.[0];
    const value = field(ctx, 'value').slice(0, maxValueLength).trim();
    const reason = normalizeReason(field(ctx, 'reason'));
    const topLevel = field(ctx, 'topLevel');
    const values = { kind: kind ?? 'host', value, reason, topLevel };
    const error = 'Nothing was blocked. Check the marked field.';
    return submit(
      async () => {
        requireValid(reasonErrors(reason));
        if (!kind)
          throw invalid([{ field: 'kind', message: 'must be a host, a code, an account or a workspace' }]);
        const block = { kind, value, reason, isTopLevelMeant: topLevel === 'on' };
        const isNew = await addNamed(userOf(ctx).id, block);
        pages.redirectWithFlash(ctx, '/admin/blocks', isNew ? 'added' : 'known');
      },
      (errors) => showBlocks(ctx, { values, errors, error }),
    );
  });

  routes.post('operator', '/remove', async (ctx) => {
    const kind = blockKinds.find(([name]) => name === field(ctx, 'kind'))?.[0];
    const value = field(ctx, 'value').slice(0, maxValueLength).replaceAll('\0', '').toWellFormed();
    const isRemoved =
      kind !== undefined &&
      (await db.transaction(async (transaction) => {
        const wasBlocked =
          kind === 'account'
            ? await unblockAccount(transaction, value)
            : kind === 'workspace'
              ? await unblockWorkspace(transaction, value)
              : await removeBlock(transaction, kind, value);
        if (wasBlocked)
          await recordAction(
            transaction,
            { operatorId: userOf(ctx).id, action: `${kind}.unblock`, target: value },
            now(),
          );
        return wasBlocked;
      }));
    pages.redirectWithFlash(ctx, '/admin/blocks', isRemoved ? 'removed' : 'gone');
  });
  return routes;
}

interface NewBlock {
  kind: BlockKind;
  /** As typed. */
  value: string;
  reason: string;
  /** Confirms a whole top-level domain. */
  isTopLevelMeant: boolean;
}

/** The target of a block, by its stored name. */
interface Found {
  target: string;
  add(db: Database, reason: string | null): Promise<boolean>;
  after?(): void;
}

const wrong = (message: string) => invalid([{ field: 'value', message }]);

/** Finds what the operator named, blocks it and records it. The same rules as `qrelay block`. */
function createAddBlock({ db, now, codeChanged }: Services) {
  async function find({ kind, value, isTopLevelMeant }: NewBlock): Promise<Found> {
    switch (kind) {
      case 'host':
        return findHost(value, isTopLevelMeant);
      case 'code':
        return findCode(value);
      case 'account':
        return findAccount(value);
      case 'workspace':
        return findNamedWorkspace(value);
    }
  }

  function findHost(value: string, isTopLevelMeant: boolean): Found {
    const host = parseHostInput(value);
    if (host === undefined) throw wrong('Enter a host, such as example.com, or a URL on it');
    if (isTopLevel(host) && !isTopLevelMeant)
      throw wrong(
        `This is the top-level domain ${host}: every code to a host that ends in .${host} would be taken down. If you mean that, check the box below`,
      );
    const block = { kind: 'host', value: host, createdAt: now() } as const;
    return { target: host, add: (to, reason) => addBlock(to, { ...block, reason }) };
  }

  async function findCode(value: string): Promise<Found> {
    const given = parseCodeInput(value);
    if (given === undefined)
      throw wrong('Enter a share link, a share token (10 letters and digits) or an id');
    const code = await findAnyCode(db, given);
    if (!code) throw wrong('There is no such code');
    const block = { kind: 'code', value: code.id, createdAt: now() } as const;
    return {
      target: code.id,
      add: (to, reason) => addBlock(to, { ...block, reason }),
      after: () => codeChanged(code.shareToken),
    };
  }

  async function findAccount(value: string): Promise<Found> {
    const isEmail = value.length <= 254 && !value.includes('\0') && value.isWellFormed();
    const user = isEmail
      ? await findUserByEmail(db, value).catch((error: unknown) => {
          if (error instanceof AppError) return undefined;
          throw error;
        })
      : undefined;
    if (!user) throw wrong('There is no account with this email');
    if (user.isAdmin)
      throw wrong('An operator cannot be blocked. Remove the operator on the command line first');
    return { target: user.id, add: (to, reason) => blockAccount(to, user.id, reason, now()) };
  }

  async function findNamedWorkspace(value: string): Promise<Found> {
    const workspace = await findWorkspaceBySlug(db, value);
    if (!workspace) throw wrong('There is no workspace with this address. Enter what follows /w/ in it');
    return { target: workspace.id, add: (to, reason) => blockWorkspace(to, workspace.id, reason, now()) };
  }

  /** Whether it is new. */
  return async (operatorId: string, block: NewBlock): Promise<boolean> => {
    const { target, add, after } = await find(block);
    const isNew = await db.transaction(async (transaction) => {
      const isAdded = await add(transaction, block.reason || null);
      if (isAdded)
        await recordAction(
          transaction,
          { operatorId, action: `${block.kind}.block`, target, note: block.reason },
          now(),
        );
      return isAdded;
    });
    after?.();
    return isNew;
  };
}
