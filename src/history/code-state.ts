import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../errors.ts';
import type { CodeFile } from '../codes/files/stored-file.ts';
import type { CodeType } from '../codes/content/content-types.ts';
import { type Design, normalizeDesign } from '../codes/design/design.ts';
import type { QrCode } from '../codes/qr-code.ts';
import type { PageLogo } from '../codes/share-page.ts';
import type { Database } from '../store/database.ts';
import { fieldName, fieldValue, findVersion, type Version, versionsOf } from './changes.ts';

/** Columns of a code that versions have. */
const columnFields = [
  'name',
  'type',
  'content',
  'foregroundColor',
  'backgroundColor',
  'size',
  'errorCorrection',
  'category',
  'isPublic',
  'isFavorite',
  'afterExpiryUrl',
  'pageTitle',
  'pageText',
  'pageColor',
  'pageShowsName',
] as const;

export type FilePart = Pick<CodeFile, 'id' | 'kind' | 'name' | 'mediaType' | 'bytes'>;

/** Everything of a code that a version can restore. */
export type CodeState = Pick<QrCode, (typeof columnFields)[number]> & {
  /** The end that was chosen. Null: the default lifetime, which scans renew. */
  expiresAt: string | null;
  design: Design | null;
  pageLogo: PageLogo | null;
  file: FilePart | null;
};

export type StateField = keyof CodeState;

/** In the order in which they are shown. */
export const stateFields: readonly StateField[] = [
  ...columnFields,
  'expiresAt',
  'design',
  'pageLogo',
  'file',
];

interface Parts {
  design: Design | null;
  pageLogo: PageLogo | null;
  file: Record<string, unknown> | null;
}

/** As a code is now. Call it with the code locked, or accept that its parts may be newer. */
export async function readState(db: Database, code: QrCode): Promise<CodeState> {
  const { rows } = (await db.raw(
    `SELECT (SELECT design FROM designs WHERE code_id = :id) AS design,
            (SELECT jsonb_build_object('logo', logo, 'alt', alt) FROM page_logos WHERE code_id = :id) AS "pageLogo",
            (SELECT jsonb_build_object('id', id, 'kind', kind, 'name', name, 'media_type', media_type, 'bytes', bytes)
             FROM code_files WHERE code_id = :id) AS file`,
    { id: code.id },
  )) as { rows: [Parts] };
  const [{ design, pageLogo, file }] = rows;
  const { expiresAt, defaultExpiresAt } = code;
  const isChosen = defaultExpiresAt !== null && defaultExpiresAt.getTime() !== expiresAt.getTime();
  const columns = Object.fromEntries(columnFields.map((field) => [field, code[field]]));
  return {
    ...(columns as Pick<QrCode, (typeof columnFields)[number]>),
    expiresAt: isChosen ? expiresAt.toISOString() : null,
    design: design && normalizeDesign(design),
    pageLogo,
    file: fieldValue('file', file) as FilePart | null,
  };
}

/** A field that differs from a version. */
export interface Difference {
  field: StateField;
  now: unknown;
  former: unknown;
  /** The version that changed it last. */
  changedIn: number;
}

/** The fields in which a code differs from its version `version`, with the values of both. */
export async function compareWithVersion(db: Database, code: QrCode, version: number): Promise<Difference[]> {
  await requireVersion(db, code, version);
  const { rows } = (await db.raw(
    `SELECT key, (array_agg(value ORDER BY version))[1] AS former, max(version) AS "changedIn"
     FROM changes CROSS JOIN jsonb_each(before)
     WHERE code_id = :id AND version > :version AND action = 'changed' GROUP BY key`,
    { id: code.id, version },
  )) as { rows: { key: string; former: unknown; changedIn: number }[] };
  const changed = new Map(rows.map((row) => [fieldName(row.key), row]));
  const state = await readState(db, code);
  return stateFields.flatMap((field) => {
    const row = changed.get(field);
    if (!row) return [];
    const former = field === 'design' ? wholeDesign(row.former) : fieldValue(row.key, row.former);
    const now = state[field];
    return isDeepStrictEqual(now, former) ? [] : [{ field, now, former, changedIn: row.changedIn }];
  });
}

/** A design from an earlier release lacks newer fields. */
const wholeDesign = (design: unknown) => (design === null ? null : normalizeDesign(design as Design));

/**
 * Throws a 404 unless the state of this version is known: that of an entry, or that before the oldest entry, because codes are
 * older than the history, and old entries are purged.
 */
async function requireVersion(db: Database, code: QrCode, version: number): Promise<void> {
  if (await findVersion(db, code, version)) return;
  const next = await findVersion(db, code, version + 1);
  if (!next || next.action === 'created') throw noSuchVersion();
}

export const noSuchVersion = () => new AppError('not_found', 'There is no such version of this QR code.');

/** The fields that an entry has changed. */
export function changedFields({ before, after }: Pick<Version, 'before' | 'after'>): StateField[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return stateFields.filter((field) => names.has(field));
}

/** The number of the latest version of a code. 0: the code is older than its history, and was not changed since. */
export async function latestVersion(db: Database, code: QrCode): Promise<number> {
  const [latest] = await versionsOf(db, code, { limit: 1 });
  return latest?.version ?? 0;
}

/** The type that a code had at a version, which says how to read its content. */
export async function typeAtVersion(
  db: Database,
  { id, workspaceId, type }: Pick<QrCode, 'id' | 'workspaceId' | 'type'>,
  version: number,
): Promise<CodeType> {
  const { rows } = (await db.raw(
    `SELECT before ->> 'type' AS type FROM changes
     WHERE code_id = :id AND workspace_id = :workspaceId AND version > :version AND jsonb_exists(before, 'type')
       AND action = 'changed' ORDER BY version LIMIT 1`,
    { id, workspaceId, version },
  )) as { rows: { type: CodeType }[] };
  return rows[0]?.type ?? type;
}
