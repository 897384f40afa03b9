import { blockAccount } from '../../../accounts/account-blocks.ts';
import { recordAction } from '../../../accounts/operator-actions.ts';
import { findUserByEmail } from '../../../accounts/users.ts';
import { addBlock } from '../../../codes/blocks.ts';
import { parseCodeInput } from '../../../codes/share-token.ts';
import { isTopLevel, parseHostInput } from '../../../codes/content/hosts.ts';
import { findAnyCode } from '../../../codes/codes.ts';
import { AppError, type FieldError } from '../../../errors.ts';
import type { Database } from '../../../store/database.ts';
import type { PageParts } from '../../ui/page.ts';
import type { BlockKind } from './blocks-view.tsx';

interface NewBlock {
  kind: BlockKind;
  /** As typed. */
  value: string;
  reason: string;
  /** Confirms a whole top-level domain. */
  isTopLevelMeant: boolean;
}

type Added = { isNew: boolean } | { errors: FieldError[] };
type Add = (db: Database, reason: string | null) => Promise<boolean>;
/** What is blocked, by its stored name. */
type Found = { target: string; add: Add; after?(): void } | { errors: FieldError[] };

const wrong = (message: string): { errors: FieldError[] } => ({ errors: [{ field: 'value', message }] });

/** Finds what the operator named, blocks it and records it. The same rules as `qrelay block`. */
export function createAddBlock({ db, now, codeChanged }: PageParts) {
  async function find({ kind, value, isTopLevelMeant }: NewBlock): Promise<Found> {
    switch (kind) {
      case 'host':
        return findHost(value, isTopLevelMeant);
      case 'code':
        return findCode(value);
      case 'account':
        return findAccount(value);
    }
  }

  function findHost(value: string, isTopLevelMeant: boolean): Found {
    const host = parseHostInput(value);
    if (host === undefined) return wrong('Enter a host, such as example.com, or a URL on it');
    if (isTopLevel(host) && !isTopLevelMeant)
      return wrong(
        `This is the top-level domain ${host}: every code to a host that ends in .${host} would be taken down. If you mean that, check the box below`,
      );
    const block = { kind: 'host', value: host, createdAt: now() } as const;
    return { target: host, add: (to, reason) => addBlock(to, { ...block, reason }) };
  }

  async function findCode(value: string): Promise<Found> {
    const given = parseCodeInput(value);
    if (given === undefined)
      return wrong('Enter a share link, a share token (10 letters and digits) or an id');
    const code = await findAnyCode(db, given);
    if (!code) return wrong('There is no such code');
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
    if (!user) return wrong('There is no account with this email');
    if (user.isAdmin)
      return wrong('An operator cannot be blocked. Remove the operator on the command line first');
    return { target: user.id, add: (to, reason) => blockAccount(to, user.id, reason, now()) };
  }

  return async (operatorId: string, block: NewBlock): Promise<Added> => {
    const found = await find(block);
    if ('errors' in found) return found;
    const { target, add, after } = found;
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
    return { isNew };
  };
}
