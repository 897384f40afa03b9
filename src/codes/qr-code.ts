import { type Constructor, Model, type QueryBuilderType, type TransactionOrKnex } from 'objection';
import type { CodeType } from './content/content-types.ts';
import { type WorkspaceId, ownedColumns } from '../workspaces/workspace.ts';

export const errorCorrections = ['L', 'M', 'Q', 'H'] as const;
export type ErrorCorrection = (typeof errorCorrections)[number];

/**
 * A code that is not in the trash: one there has neither owner nor share token, see trash.ts. SQL that selects codes by
 * neither must say `user_id IS NOT NULL`.
 */
export class QrCode extends Model {
  static override tableName = 'qr_codes';
  static override columnNameMappers = ownedColumns();

  static override query<Row extends Model>(this: Constructor<Row>, db?: TransactionOrKnex) {
    const query = super.query(db) as unknown as QueryBuilderType<Row>;
    return query.onBuild((builder) => {
      if (!builder.isInsert()) void builder.whereNotNull('qr_codes.user_id');
    });
  }

  declare id: string;
  declare workspaceId: WorkspaceId;
  declare shareToken: string;
  declare name: string;
  declare type: CodeType;
  declare content: string;
  declare foregroundColor: string;
  declare backgroundColor: string;
  declare size: number;
  declare errorCorrection: ErrorCorrection;
  declare category: string | null;
  declare isPublic: boolean;
  declare isFavorite: boolean;
  declare createdAt: Date;
  declare updatedAt: Date;
  declare expiresAt: Date;
  /** The end that the service gave the code, see lifetime.ts. Null if an older release stored it. */
  declare defaultExpiresAt: Date | null;
  /** Where the share link leads after the end. */
  declare afterExpiryUrl: string | null;
  /** What the owner chose for the share page, see share-page.ts. */
  declare pageTitle: string | null;
  declare pageText: string | null;
  declare pageColor: string | null;
  /** Whether strangers see the name, see public-title.ts. Null: yes. */
  declare pageShowsName: boolean | null;
  /** The hosts that the content links to, see blocks.ts. Null until it is parsed. */
  declare hosts: string[] | null;
  declare hostsKey: string | null;
}
