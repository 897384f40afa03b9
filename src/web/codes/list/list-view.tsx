import type { QrCode } from '../../../codes/qr-code.ts';
import { DuplicateForm, Star, VisibilityForm } from '../code-actions.tsx';
import { ExpiryBadge, StateBadge, stateOf } from '../code-state.tsx';
import {
  type PageSize,
  type Search as SearchOfList,
  defaultPageSize,
  endPeriods,
  hasEnded,
} from './list-search.ts';
import { TypeIcon, gistOf, shownTypeOf, shownTypes, typeName } from '../shown-type.tsx';
import { type FormState, Input, Select } from '../../ui/controls.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Layout, Outcome } from '../../ui/layout.tsx';
import { Pages } from '../../ui/table.tsx';
import { SelectBox, SelectionForm } from './selection-form.tsx';
import { Needs, useMay, useVisitor } from '../../ui/visitor.ts';
import { ShortFigure, figure } from '../../ui/words.tsx';
import type { WorkspaceId } from '../../../workspaces/workspace.ts';

interface CodeRow {
  code: QrCode;
  isExpired: boolean;
  /** Set if it expires soon. */
  expiresIn: string | undefined;
  isBlocked: boolean;
  scans: number;
  /** Scans per day, today last. */
  daily: number[];
}

interface CodesProps {
  workspaceId: WorkspaceId;
  rows: CodeRow[];
  search: SearchOfList;
  categories: string[];
  /** All matches, on this page and others. */
  total: number;
  size: PageSize;
  /** The path of the first page in each size. */
  sizes: { size: PageSize; path: string }[];
  /** The path of this page, for forms that return to it. */
  here: string;
  firstPage?: string | undefined;
  previousPage?: string | undefined;
  nextPage?: string | undefined;
}

export function CodesView(props: CodesProps) {
  const { workspaceId, rows, search, total } = props;
  const { assets, isDemo } = useVisitor();
  const isFiltered = Boolean(search.q || search.type || search.category || search.endsWithin);
  return (
    <Layout title="QR codes" at="/codes" styles={['codes']}>
      <script type="module" src={`${assets}/codes/star.browser.js`} />
      <script type="module" src={`${assets}/codes/list/search.browser.js`} />
      <div class="heading">
        <h1>QR codes</h1>
        {(total > 0 || isFiltered) && (
          <p class="quiet total">
            {figure(total)} {isFiltered ? 'found' : total === 1 ? 'code' : 'codes'}
          </p>
        )}
        <Needs access="editor or demo">
          <a class="button" href="/codes/new">
            <Icon name="plus" />
            New code
          </a>
        </Needs>
      </div>
      <Outcome />
      {(rows.length > 0 || isFiltered) && <Search {...props} />}
      {rows.length > 0 ? (
        <>
          <Table {...props} />
          <SelectionForm workspaceId={workspaceId} search={search} total={total} />
        </>
      ) : isFiltered ? (
        <Empty title="Nothing found">
          <p>None of your codes match. Try a shorter part of the name or destination.</p>
          <a class="button quiet" href="/codes">
            See all codes
          </a>
        </Empty>
      ) : (
        <Empty title="No codes yet">
          <p>
            A code opens a web page, a Wi‑Fi network, a contact and more, and you see when and where it is
            scanned.
          </p>
          <Needs access="editor or demo">
            <a class="button" href="/codes/new">
              <Icon name="plus" />
              Create your first code
            </a>
          </Needs>
          <Needs access="owner">
            <p class="after">
              Working with the API? <a href="/keys">Create a key</a>
            </p>
          </Needs>
        </Empty>
      )}
      <div class="list-end">
        <Pages {...props} />
        {total > defaultPageSize && <PageSizes {...props} />}
        {!isDemo && (
          <a class="more-of-list" href="/history">
            <Icon name="clock" />
            History
          </a>
        )}
        <a class="more-of-list" href="/codes/trash">
          <Icon name="trash-2" />
          Trash
        </a>
      </div>
    </Layout>
  );
}

function PageSizes({ size, sizes }: CodesProps) {
  return (
    <nav class="page-sizes" aria-label="Codes per page">
      <span aria-hidden="true">Codes per page</span>
      <div class="segments">
        {sizes.map(({ size: each, path }) => (
          <a key={each} href={path} aria-current={each === size ? 'true' : undefined}>
            {each}
          </a>
        ))}
      </div>
    </nav>
  );
}

function Search({ rows, search, categories, size }: CodesProps) {
  const values = { ...search, type: search.type ?? '', endsWithin: String(search.endsWithin ?? '') };
  const form: FormState = { values, errors: [] };
  const isFiltered = Boolean(search.type || search.category || search.endsWithin);
  return (
    <form class="search" action="/codes" role="search">
      <div class="search-box">
        <Icon name="search" />
        <Input
          form={form}
          name="q"
          label="Search by name, destination or link"
          type="search"
          placeholder="Name, destination or link"
        />
      </div>
      {/* Closed on phones only: the style sheet keeps it open on wide screens. */}
      <details class="filters" open={isFiltered}>
        <summary>Filters</summary>
        <div>
          <Select
            form={form}
            name="type"
            label="Type"
            choices={[
              ['', 'All types'],
              ...shownTypes.map((type): [string, string] => [type, typeName(type)]),
            ]}
          />
          <Select
            form={form}
            name="category"
            label="Category"
            choices={[
              ['', 'All categories'],
              ...categories.map((category): [string, string] => [category, category]),
            ]}
          />
          <Select
            form={form}
            name="endsWithin"
            label="Expires"
            choices={[
              ['', 'Any expiry'],
              ...endPeriods.map((days): [string, string] => [String(days), `Within ${days} days`]),
              [hasEnded, 'Already expired'],
            ]}
          />
        </div>
      </details>
      {size !== defaultPageSize && <input type="hidden" name="perPage" value={size} />}
      <div class="row">
        <button type="submit" class="quiet">
          Search
        </button>
        {/* Where nothing is found, the way back is below. */}
        {(isFiltered || search.q) && rows.length > 0 && (
          <a class="button quiet" href="/codes">
            Clear
          </a>
        )}
      </div>
    </form>
  );
}

function Table({ rows, here }: CodesProps) {
  return (
    <div class="card codes-card">
      <table class="codes">
        <caption class="unseen">Your QR codes, favorites first, then the newest</caption>
        <thead>
          <tr>
            <th scope="col">
              <label class="select-box" hidden>
                <input type="checkbox" aria-label="Select this page" />
              </label>
              Name
            </th>
            <th scope="col">Type</th>
            <th scope="col">Category</th>
            <th scope="col" class="number">
              Scans
            </th>
            <th scope="col">Last 30 days</th>
            <th scope="col" class="menu-cell">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <CodeLine key={row.code.id} row={row} here={here} isInView={index < eagerPictures} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** About as many rows as a window shows: their pictures are loaded at once. */
const eagerPictures = 10;

function CodeLine({ row, here, isInView }: { row: CodeRow; here: string; isInView: boolean }) {
  const { code, scans, daily } = row;
  const state = stateOf(row);
  const anchor = `code-${code.id}`;
  const back = `${here}#${anchor}`;
  return (
    <tr>
      <th scope="row">
        {/* Forms return to this anchor, and the keyboard continues here. */}
        <div class="code-name" id={anchor} tabIndex={-1}>
          <SelectBox code={code} />
          <img
            src={`/codes/${code.id}/picture.svg`}
            width="44"
            height="44"
            alt=""
            loading={isInView ? 'eager' : 'lazy'}
          />
          <div>
            <a href={`/codes/${code.id}`} title={code.name}>
              <bdi>{code.name}</bdi>
            </a>{' '}
            {state !== 'public' && <StateBadge state={state} />}{' '}
            {state !== 'blocked' && <ExpiryBadge expiresIn={row.expiresIn} />}
            <span class="gist" dir="auto">
              {gistOf(code)}
            </span>
          </div>
        </div>
      </th>
      <td class="fact type">
        <TypeIcon type={shownTypeOf(code)} />
        {typeName(shownTypeOf(code))}
      </td>
      <td class={code.category ? 'fact category' : 'fact none'} title={code.category ?? undefined}>
        {code.category ? <bdi>{code.category}</bdi> : '–'}
      </td>
      <td class="fact number">
        <ShortFigure value={scans} />
        <span class="unit"> {scans === 1 ? 'scan' : 'scans'}</span>
      </td>
      <td class="course">
        <Sparkline daily={daily} />
      </td>
      <td class="menu-cell">
        <Star code={code} back={back} />
        <Actions code={code} back={back} />
      </td>
    </tr>
  );
}

/** Opens over the list. The shared name closes the others. */
function Actions({ code, back }: { code: QrCode; back: string }) {
  const path = `/codes/${code.id}`;
  const may = useMay();
  return (
    <details class="menu" name="actions">
      <summary aria-label={`Actions for ${code.name}`}>
        <Icon name="ellipsis" />
      </summary>
      <div>
        {may('editor or demo') ? (
          <>
            <a href={`${path}/edit`}>
              <Icon name="pencil" />
              Edit
            </a>
            <a href={`${path}/design`}>
              <Icon name="palette" />
              Design
            </a>
          </>
        ) : (
          <a href={`${path}/ready`}>
            <Icon name="download" />
            Download
          </a>
        )}
        <a href={`${path}/print`}>
          <Icon name="printer" />
          Print
        </a>
        <DuplicateForm code={code} look="link" />
        <VisibilityForm code={code} look="link" back={back} />
        <Needs access="editor">
          <a class="danger" href={`${path}/delete`} data-dialog>
            <Icon name="trash-2" />
            Delete
          </a>
        </Needs>
      </div>
    </details>
  );
}

const width = 120;
const height = 28;
const margin = 2;

/** A small line of scans per day, with a text for screen readers. */
function Sparkline({ daily }: { daily: number[] }) {
  const most = Math.max(0, ...daily);
  const sum = daily.reduce((total, scans) => total + scans, 0);
  const words =
    sum === 0
      ? `No scans in ${daily.length} days`
      : `Scans in ${daily.length} days: ${figure(sum)}, at most ${figure(most)} a day`;
  const step = (width - 2 * margin) / Math.max(1, daily.length - 1);
  const points = daily.map((scans, day) => {
    const y = height - margin - (scans / Math.max(1, most)) * (height - 2 * margin);
    return `${(margin + day * step).toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg
      class={sum === 0 ? 'sparkline none' : 'sparkline'}
      role="img"
      aria-label={words}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      {sum > 0 && <polygon points={`${margin},${height} ${points.join(' ')} ${width - margin},${height}`} />}
      <polyline points={points.join(' ')} />
    </svg>
  );
}
