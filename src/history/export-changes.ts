import { withoutWifiPassword } from '../codes/content/wifi.ts';
import { csvLine } from '../formats/csv.ts';
import type { Database } from '../store/database.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';
import { type Change, type ChangeFilter, type Fields, listChanges } from './changes.ts';

const columns = [
  'at',
  'actorKind',
  'actorId',
  'actorName',
  'action',
  'kind',
  'subjectId',
  'subjectName',
  'version',
  'requestId',
] as const;
/** Few, because redirects wait while rows are parsed. */
const rowsPerRead = 100;
export const maxCsvRows = 50_000;

/** Reads when it is the turn of whoever downloads. */
export type ReadInTurn = <Value>(read: () => Promise<Value>) => Promise<Value>;

/** The entries of a workspace as CSV, newest first. Reads page by page, as fast as the client does. */
export async function* csvOf(
  db: Database,
  workspaceId: WorkspaceId,
  filter: ChangeFilter,
  inTurn: ReadInTurn,
  shown: (entry: Change) => Change = (entry) => entry,
): AsyncGenerator<string> {
  yield csvLine([...columns, 'before', 'after']);
  let cursor: string | undefined;
  for (let rows = 0; rows < maxCsvRows; rows += rowsPerRead) {
    const pageAt = { limit: rowsPerRead, cursor };
    const found = await inTurn(() => listChanges(db, workspaceId, filter, pageAt));
    const page = found.slice(0, rowsPerRead);
    yield page.map((entry) => toLine(withoutPassword(shown(entry)))).join('');
    if (found.length <= rowsPerRead) return;
    cursor = page.at(-1)?.id;
  }
}

/** People who read the history of a workspace need not know its Wi-Fi passwords, which are part of the content of codes. */
export function withoutPassword<Entry extends Change>(entry: Entry): Entry {
  const hide = (values: Fields | null) =>
    typeof values?.['content'] === 'string'
      ? { ...values, content: withoutWifiPassword(values['content']) }
      : values;
  return Object.assign(entry, { before: hide(entry.before), after: hide(entry.after) });
}

function toLine(entry: Change): string {
  const json = (given: Fields | null) => (given === null ? null : JSON.stringify(given));
  return csvLine([...columns.map((name) => entry[name]), json(entry.before), json(entry.after)]);
}
