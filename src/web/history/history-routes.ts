import type { Context } from 'koa';
import { validate as isUuid } from 'uuid';
import { findCodes } from '../../codes/find-codes.ts';
import { findStyles } from '../../codes/styles/styles.ts';
import { attachment } from '../../http/file-headers.ts';
import { listRecentActors } from '../../history/actors.ts';
import {
  type Change,
  type ChangeFilter,
  type ChangeKind,
  changeKinds,
  listChanges,
} from '../../history/changes.ts';
import { csvOf } from '../../history/export-changes.ts';
import { typesAfter } from '../../history/types-of-changes.ts';
import { dayMs } from '../../runtime/units.ts';
import { listEndpoints } from '../../webhooks/endpoints.ts';
import { hasRole } from '../../workspaces/members.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';
import { callerOf } from '../middleware/caller.ts';
import { membershipOf, workspaceIdOf, workspaceOf } from '../middleware/session.ts';
import { type Routes, createRoutes } from '../routes.ts';
import type { Services } from '../services.ts';
import { queryText } from '../ui/form.ts';
import { createPages } from '../ui/page.ts';
import { findHandovers, typesOfChange } from './change-lines.ts';
import { type HistorySearch, HistoryView } from './history-view.tsx';

const entriesPerPage = 50;

/** The history of a workspace, for its members. */
export function historyPages(parts: Services): Routes {
  const { db, now } = parts;
  const routes = createRoutes('/history');
  const pages = createPages(parts);

  routes.get('viewer', '/', async (ctx) => {
    const workspaceId = workspaceIdOf(ctx);
    const search = readSearch(ctx);
    const before = queryText(ctx, 'before');
    const cursor = isUuid(before) ? before : undefined;
    const [found, actors] = await Promise.all([
      listChanges(db, workspaceId, filterOf(search), { limit: entriesPerPage, cursor }),
      listRecentActors(db, workspaceId),
    ]);
    const changes = found.slice(0, entriesPerPage);
    const [hrefs, types] = await Promise.all([
      findHrefs(ctx, workspaceId, changes),
      typesAfter(db, workspaceId, changes),
    ]);
    const handovers = findHandovers(found);
    const query = queryOf(search);
    const address = (path: string, more: Record<string, string> = {}) => {
      const parameters = new URLSearchParams({ ...query, ...more }).toString();
      return parameters ? `${path}?${parameters}` : path;
    };
    pages.show(ctx, HistoryView, {
      entries: changes.map((change) => ({
        change,
        href: hrefs.get(change.subjectId),
        types: typesOfChange(change, types.get(change.id)),
        isHandover: handovers.has(change.id),
      })),
      actors,
      search,
      isFiltered: Object.keys(query).length > 0,
      now: now(),
      csv: address('/history.csv'),
      firstPage: cursor === undefined ? undefined : address('/history'),
      nextPage:
        found.length > entriesPerPage
          ? address('/history', { before: String(changes.at(-1)?.id) })
          : undefined,
    });
  });

  routes.get('viewer', '.csv', async (ctx) => {
    const search = readSearch(ctx);
    const filter = filterOf(search);
    const lines = () => csvOf(db, workspaceIdOf(ctx), filter);
    const body = await parts.downloads.stream(callerOf(ctx), async () => withByteOrderMark(lines()));
    ctx.type = 'text/csv; charset=utf-8';
    ctx.set(
      'Content-Disposition',
      attachment(`History ${periodOf(search)} ${workspaceOf(ctx).name}`, 'csv', 'history'),
    );
    ctx.body = body;
  });

  /** For the name of the file. Without a period, the day of the download. */
  function periodOf({ from, to }: HistorySearch): string {
    const last = to || now().toISOString().slice(0, 10);
    return from === '' ? `to ${last}` : `${from} to ${last}`;
  }

  /** The pages of what still exists, and which the member may open. */
  async function findHrefs(
    ctx: Context,
    workspaceId: WorkspaceId,
    changes: Change[],
  ): Promise<Map<string, string>> {
    const may = (needed: 'editor' | 'owner') => {
      const role = membershipOf(ctx)?.role;
      return role !== undefined && hasRole(role, needed);
    };
    const idsOf = (kind: ChangeKind) => [
      ...new Set(changes.filter((change) => change.kind === kind).map(({ subjectId }) => subjectId)),
    ];
    const hasKind = (kind: ChangeKind) => idsOf(kind).length > 0;
    const [codes, styles, endpoints] = await Promise.all([
      hasKind('code') ? findCodes(db, workspaceId, idsOf('code')) : { codes: [] },
      hasKind('style') ? findStyles(db, workspaceId) : [],
      hasKind('webhook') && may('editor') ? listEndpoints(db, workspaceId) : [],
    ]);
    return new Map([
      ...codes.codes.map(({ id }): [string, string] => [id, `/codes/${id}`]),
      ...styles.map(({ id }): [string, string] => [id, `/codes/styles/${id}`]),
      ...endpoints.map(({ id }): [string, string] => [id, `/webhooks/${id}`]),
      ...(may('owner') ? idsOf('key').map((id): [string, string] => [id, '/keys']) : []),
      ...(may('editor') ? idsOf('brand').map((id): [string, string] => [id, '/codes/brand']) : []),
      ...[...idsOf('member'), ...idsOf('invitation')].map((id): [string, string] => [id, '/members']),
    ]);
  }
  return routes;
}

/** Tells spreadsheets that it is UTF-8. */
async function* withByteOrderMark(lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield '\uFEFF';
  yield* lines;
}

/** What is invalid does not filter. */
function readSearch(ctx: Context): HistorySearch {
  const [person, kind] = [queryText(ctx, 'person'), queryText(ctx, 'kind')];
  return {
    person: isUuid(person) ? person : '',
    kind: changeKinds.find((each) => each === kind) ?? '',
    from: readDay(queryText(ctx, 'from')),
    to: readDay(queryText(ctx, 'to')),
  };
}

function readDay(text: string): string {
  if (!/^20\d\d-\d\d-\d\d$/.test(text)) return '';
  return Number.isNaN(Date.parse(`${text}T00:00:00Z`)) ? '' : text;
}

const queryOf = (search: HistorySearch): Record<string, string> =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== ''));

/** Days are days in UTC, and both are included. */
function filterOf({ person, kind, from, to }: HistorySearch): ChangeFilter {
  return {
    actorId: person || undefined,
    kind: kind || undefined,
    from: from ? new Date(`${from}T00:00:00Z`) : undefined,
    to: to ? new Date(Date.parse(`${to}T00:00:00Z`) + dayMs) : undefined,
  };
}
