import type { Change, ChangeKind } from '../../history/changes.ts';
import type { HistoryActor } from '../../history/actors.ts';
import { type FormState, Input, Select } from '../ui/controls.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icons.tsx';
import { Page } from '../ui/layout.tsx';
import { Pages } from '../ui/table.tsx';
import { useVisitor } from '../ui/visitor.ts';
import { WorkspaceTabs } from '../workspace/workspace-tabs.tsx';
import { actorText } from './actor.tsx';
import { changeLines, type TypesOfChange } from './change-lines.ts';
import { Entry } from './entry.tsx';

/** What the address asks for, as it was entered. */
export interface HistorySearch {
  person: string;
  kind: ChangeKind | '';
  from: string;
  to: string;
}

export interface HistoryEntry {
  change: Change;
  /** Undefined if there is nothing to open any more. */
  href: string | undefined;
  types: TypesOfChange;
  isHandover: boolean;
}

interface HistoryProps {
  entries: HistoryEntry[];
  actors: HistoryActor[];
  /** Those that the member may see. */
  kinds: ChangeKind[];
  search: HistorySearch;
  isFiltered: boolean;
  now: Date;
  csv: string;
  firstPage: string | undefined;
  nextPage: string | undefined;
}

/** Everything that was changed in a workspace, newest first. */
export function HistoryView(props: HistoryProps) {
  const { entries, isFiltered, now, csv } = props;
  return (
    <Page
      title="History"
      at="/workspace"
      styles={['codes', 'history', 'workspace']}
      heading={
        <div class="heading">
          <h1>History</h1>
          {entries.length > 0 && (
            <a class="button quiet" href={csv} download>
              <Icon name="download" />
              Download as CSV
            </a>
          )}
        </div>
      }
    >
      <WorkspaceTabs at="/history" />
      {(entries.length > 0 || isFiltered) && <Filter {...props} />}
      {entries.length > 0 ? (
        <ol class="card entries" aria-label="Changes, the latest first">
          {entries.map((entry) => (
            <Entry
              key={entry.change.id}
              change={entry.change}
              lines={changeLines(entry.change, entry)}
              types={entry.types}
              now={now}
              subject={<Subject {...entry} />}
            />
          ))}
        </ol>
      ) : isFiltered ? (
        <Empty icon="clock" title="Nothing found">
          <p>
            {isBackwards(props.search)
              ? 'The period ends before it begins: “To” is earlier than “From”.'
              : 'No changes match. Choose a longer period, or fewer filters.'}
          </p>
          <a class="button quiet" href="/history">
            See all changes
          </a>
        </Empty>
      ) : (
        <Empty icon="clock" title="No changes yet">
          <p>Every change of codes, templates, keys, webhooks and members appears here, with who made it.</p>
        </Empty>
      )}
      <Pages {...props} />
    </Page>
  );
}

const isBackwards = ({ from, to }: HistorySearch) => from !== '' && to !== '' && to < from;

const kindNames: Record<ChangeKind, [one: string, many: string]> = {
  code: ['Code', 'Codes'],
  style: ['Template', 'Templates'],
  brand: ['Brand', 'Brand'],
  key: ['API key', 'API keys'],
  webhook: ['Webhook', 'Webhooks'],
  member: ['Member', 'Members'],
  invitation: ['Invitation', 'Invitations'],
  workspace: ['Workspace', 'Workspace'],
};

function Filter({ actors, kinds, search, isFiltered }: HistoryProps) {
  const { account, brand } = useVisitor();
  const form: FormState = { values: { ...search }, errors: [] };
  const nameOf = ({ id, kind, name }: HistoryActor) =>
    id === account ? 'You' : actorText({ actorKind: kind, actorName: name, actorId: id }, brand.name);
  return (
    <form class="history-filter" action="/history" role="search" aria-label="Filter the history">
      <Select
        form={form}
        name="person"
        label="By"
        choices={[['', 'Everybody'], ...actors.map((actor): [string, string] => [actor.id, nameOf(actor)])]}
      />
      <Select
        form={form}
        name="kind"
        label="What"
        choices={[['', 'Everything'], ...kinds.map((kind): [string, string] => [kind, kindNames[kind][1]])]}
      />
      <Input form={form} name="from" label="From (UTC)" type="date" />
      <Input form={form} name="to" label="To (UTC)" type="date" />
      <div class="row">
        <button type="submit" class="quiet">
          Filter
        </button>
        {isFiltered && (
          <a class="button quiet" href="/history">
            Clear
          </a>
        )}
      </div>
    </form>
  );
}

function Subject({ change, href }: HistoryEntry) {
  const { kind } = change;
  const name = subjectText(change);
  return (
    <p class="subject">
      <span class="badge">{kindNames[kind]?.[0] ?? kind}</span>{' '}
      {href === undefined ? (
        <bdi>{name}</bdi>
      ) : (
        <a href={href}>
          <bdi>{name || kindNames[kind][0]}</bdi>
        </a>
      )}
    </p>
  );
}

/** What has no name has the end of its id, which is also in the CSV: it tells one deleted code from another. */
function subjectText(change: Change): string {
  const { kind, subjectId, subjectName } = change;
  const shortId = `#${subjectId.slice(-6)}`;
  // Empty: the address was erased.
  if (kind === 'invitation') return subjectName === null ? `link ${shortId}` : subjectName || shortId;
  return subjectName ?? (kind === 'code' ? `a deleted code, ${shortId}` : '');
}
