import { codeTypes, contentType } from '../../../codes/content/content-types.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { DuplicateForm, VisibilityForm } from '../detail/code-actions.tsx';
import { StateBadge, stateOf } from '../code-state.tsx';
import { EndBadge } from '../ends-in.tsx';
import { type FormState, Input, Select } from '../../ui/controls.tsx';
import { figure } from '../../ui/figure.ts';
import { Layout, type Visitor } from '../../ui/layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ShortFigure } from '../../ui/short-figure.tsx';
import { endPeriods, hasEnded, type Search as SearchOfList } from './list-search.ts';
import { SelectBox, SelectionForm } from './selection-form.tsx';
import { Sparkline } from './sparkline.tsx';
import { Star } from '../star.tsx';

export interface CodeRow {
  code: QrCode;
  isExpired: boolean;
  /** Where it ends soon. */
  endsIn: string | undefined;
  isBlocked: boolean;
  scans: number;
  /** Scans per day, today last. */
  daily: number[];
}

export interface CodesProps {
  visitor: Visitor;
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
  flash?: string | undefined;
}

export function CodesView(props: CodesProps) {
  const { visitor, ownerId, rows, search, total, flash } = props;
  const isFiltered = Boolean(search.q || search.type || search.category || search.endsWithin);
  return (
    <Layout title="QR codes" visitor={visitor} at="/codes" styles={['codes']}>
      <script type="module" src={`${visitor.assets}/codes/star.browser.js`} />
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
          <Notice kind="good">{flash}</Notice>
        </div>
      )}
      {(rows.length > 0 || isFiltered) && <Search {...props} />}
      {rows.length > 0 ? (
        <>
          <Table {...props} />
          <SelectionForm visitor={visitor} ownerId={ownerId} search={search} total={total} />
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

function Pages({ firstPage, previousPage, nextPage }: CodesProps) {
  if (!firstPage && !nextPage) return null;
  return (
    <nav class="row" aria-label="Pages">
      <PageLink to={firstPage} name="First page" />
      <PageLink to={previousPage} name="Previous page" />
      <PageLink to={nextPage} name="Next page" />
    </nav>
  );
}

function PageLink({ to, name }: { to: string | undefined; name: string }) {
  if (to === undefined) return null;
  return (
    <a class="button quiet" href={to}>
      {name}
    </a>
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
            label="Ends"
            choices={[
              ['', 'Any time'],
              ...endPeriods.map((days): [string, string] => [String(days), `Within ${days} days`]),
              [hasEnded, 'Already ended'],
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
            {state !== 'blocked' && <EndBadge endsIn={row.endsIn} />}
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
