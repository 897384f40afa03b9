import { maxPrintedCodes } from '../../../codes/print/print-codes.ts';
import { codeTypes, contentType } from '../../../codes/content/content-types.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { maxAppliedCodes } from '../../../codes/styles/style-applications.ts';
import { DuplicateForm, Star, VisibilityForm } from '../code-actions.tsx';
import { ExpiryBadge, StateBadge, stateOf } from '../code-state.tsx';
import {
  type Search,
  type Search as SearchOfList,
  endPeriods,
  hasEnded,
  searchParameters,
} from './list-search.ts';
import { maxSelectedCodes } from '../print/selection.ts';
import { type FormState, Input, Select } from '../../ui/controls.tsx';
import { Layout, Outcome } from '../../ui/layout.tsx';
import { Pages } from '../../ui/table.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { ShortFigure, figure } from '../../ui/words.tsx';

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
  ownerId: string;
  rows: CodeRow[];
  search: SearchOfList;
  categories: string[];
  /** All matches, on this page and others. */
  total: number;
  /** The path of this page, for forms that return to it. */
  here: string;
  firstPage?: string | undefined;
  previousPage?: string | undefined;
  nextPage?: string | undefined;
}

export function CodesView(props: CodesProps) {
  const { ownerId, rows, search, total } = props;
  const { assets, flash } = useVisitor();
  const isFiltered = Boolean(search.q || search.type || search.category || search.endsWithin);
  return (
    <Layout title="QR codes" at="/codes" styles={['codes']}>
      <script type="module" src={`${assets}/codes/star.browser.js`} />
      <div class="heading">
        <h1>QR codes</h1>
        {(total > 0 || isFiltered) && (
          <p class="quiet total">
            {figure(total)} {isFiltered ? 'found' : total === 1 ? 'code' : 'codes'}
          </p>
        )}
        <p class="links">
          {total > 0 && (
            <a class="button quiet" href="/codes/styles">
              Styles
            </a>
          )}
          <a class="button" href="/codes/new">
            New code
          </a>
        </p>
      </div>
      {flash && (
        <div class="stay">
          <Outcome />
        </div>
      )}
      {(rows.length > 0 || isFiltered) && <Search {...props} />}
      {rows.length > 0 ? (
        <>
          <Table {...props} />
          <SelectionForm ownerId={ownerId} search={search} total={total} />
        </>
      ) : isFiltered ? (
        <section class="card">
          <h2>Nothing found</h2>
          <p>
            None of your codes match. Try a shorter part of the name, or <a href="/codes">see all codes</a>.
          </p>
        </section>
      ) : (
        <section class="card">
          <h2>No codes yet</h2>
          <p>
            A code opens a web page, a Wi-Fi network, a contact and more, and you see when and where it is
            scanned. Create your first one, then print or share its picture.
          </p>
          <a class="button" href="/codes/new">
            Create your first code
          </a>
          <p class="quiet after">
            Working with the API? <a href="/keys">Create a key</a>
          </p>
        </section>
      )}
      <Pages {...props} />
    </Layout>
  );
}

function Search({ search, categories }: CodesProps) {
  const values = { ...search, type: search.type ?? '', endsWithin: String(search.endsWithin ?? '') };
  const form: FormState = { values, errors: [] };
  const isFiltered = Boolean(search.type || search.category || search.endsWithin);
  return (
    <form class="card search" action="/codes" role="search">
      <Input form={form} name="q" label="Search by name" type="search" />
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
              ...codeTypes.map((type): [string, string] => [type, contentType(type).name]),
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
              ['', 'Any time'],
              ...endPeriods.map((days): [string, string] => [String(days), `Within ${days} days`]),
              [hasEnded, 'Already expired'],
            ]}
          />
        </div>
      </details>
      <div class="row">
        <button type="submit" class="quiet">
          Search
        </button>
        {(isFiltered || search.q) && (
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
    <div class="card">
      <table class="codes">
        <caption class="unseen">Your QR codes, favorites first, then the newest</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
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
          {rows.map((row) => (
            <CodeLine key={row.code.id} row={row} here={here} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CodeLine({ row, here }: { row: CodeRow; here: string }) {
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
          <Star code={code} back={back} />
          <img src={`/codes/${code.id}/picture.svg`} width="48" height="48" alt="" loading="lazy" />
          <div>
            <a href={`/codes/${code.id}`} title={code.name}>
              <bdi>{code.name}</bdi>
            </a>{' '}
            {state !== 'public' && <StateBadge state={state} />}{' '}
            {state !== 'blocked' && <ExpiryBadge expiresIn={row.expiresIn} />}
          </div>
        </div>
      </th>
      <td class="fact">{contentType(code.type).name}</td>
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
        <Actions code={code} back={back} />
      </td>
    </tr>
  );
}

/** Opens over the list. The shared name closes the others. */
function Actions({ code, back }: { code: QrCode; back: string }) {
  return (
    <details class="menu" name="actions">
      <summary aria-label={`Actions for ${code.name}`}>
        <span class="word">Actions</span>
        <span class="dots" aria-hidden="true">
          ⋯
        </span>
      </summary>
      <div>
        <a href={`/codes/${code.id}/edit`}>Edit</a>
        <a href={`/codes/${code.id}/design`}>Design</a>
        <a href={`/codes/${code.id}/print`}>Print</a>
        <DuplicateForm code={code} look="link" />
        <VisibilityForm code={code} look="link" back={back} />
        <a class="danger" href={`/codes/${code.id}/delete`}>
          Delete
        </a>
      </div>
    </details>
  );
}

const formId = 'selection';

/** Outside its form, because the rows of the list have forms of their own. */
function SelectBox({ code }: { code: QrCode }) {
  return (
    <label class="select-box">
      <input type="checkbox" name="code" value={code.id} form={formId} aria-label={`Select ${code.name}`} />
    </label>
  );
}

interface SelectionFormProps {
  /** Whoever signs in next in this tab starts without a selection. */
  ownerId: string;
  search: Search;
  total: number;
}

/** Prints, downloads or styles the codes whose boxes are checked, or all that the search finds. */
function SelectionForm({ ownerId, search, total }: SelectionFormProps) {
  const { assets } = useVisitor();
  return (
    <form
      class="card selection"
      id={formId}
      action="/codes/selection"
      data-owner={ownerId}
      data-max={maxSelectedCodes}
    >
      <script type="module" src={`${assets}/codes/list/selection.browser.js`} />
      {Object.entries(searchParameters(search)).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class="quiet">
        Print or download selected
      </button>
      <button type="submit" class="quiet" formaction="/codes/styles/apply">
        Apply a style to selected
      </button>
      {total > 1 && total <= maxPrintedCodes && (
        <label class="select-all">
          <input type="checkbox" name="all" value="on" />
          All {figure(total)} codes
        </label>
      )}
      {/* selection.browser.js keeps the boxes of other pages checked. Without it, those of this page count. */}
      <p aria-live="polite" />
      <button type="button" class="quiet" hidden>
        Select this page
      </button>
      <button type="button" class="quiet" hidden>
        Clear selection
      </button>
      <p class="hint">
        Select up to {figure(maxSelectedCodes)} codes on any pages, or all that a filter finds: up to{' '}
        {figure(maxPrintedCodes)} to print or download, {figure(maxAppliedCodes)} to apply a style.
      </p>
    </form>
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
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" stroke-width="2" />
    </svg>
  );
}
