import { type CodeType, codeTypes, type QrCode } from '../../codes/qr-code.ts';
import { typeNames } from './code-types.ts';
import { type FormState, Input, Select } from './controls.tsx';
import { Notice } from './fields.tsx';
import { Form, Layout, type Visitor } from './layout.tsx';
import { Sparkline } from './sparkline.tsx';

export interface CodeRow {
  code: QrCode;
  isExpired: boolean;
  scans: number;
  /** A number for each of the last days, today last. */
  daily: number[];
}

export interface CodesProps {
  visitor: Visitor;
  rows: CodeRow[];
  search: { q: string; type: CodeType | undefined; category: string };
  categories: string[];
  /** Where this page is, to come back to. */
  here: string;
  nextPage?: string | undefined;
  firstPage?: string | undefined;
  done?: string | undefined;
}

export function CodesView(props: CodesProps) {
  const { visitor, rows, search, firstPage, nextPage, done } = props;
  const isSearch = Boolean(search.q || search.type || search.category || firstPage);
  return (
    <Layout title="QR codes" visitor={visitor} at="/codes">
      <div class="heading">
        <h1>QR codes</h1>
        <a class="button" href="/codes/new">
          New QR code
        </a>
      </div>
      {done && <Notice kind="good">{done}</Notice>}
      {(rows.length > 0 || isSearch) && <Search {...props} />}
      {rows.length > 0 ? (
        <Table {...props} />
      ) : isSearch ? (
        <section class="card empty">
          <h2>Nothing found</h2>
          <p>
            No code is like that. Try a shorter part of the name, or <a href="/codes">see all codes</a>.
          </p>
        </section>
      ) : (
        <section class="card empty">
          <h2>No codes yet</h2>
          <p>
            A code leads whoever scans it to a web address, a network, a contact and more, and you see how
            often. <a href="/codes/new">Create the first one</a>.
          </p>
        </section>
      )}
      {(firstPage || nextPage) && (
        <nav class="row" aria-label="Pages">
          {firstPage && (
            <a class="button quiet" href={firstPage}>
              First page
            </a>
          )}
          {nextPage && (
            <a class="button quiet" href={nextPage}>
              Next page
            </a>
          )}
        </nav>
      )}
    </Layout>
  );
}

function Search({ search, categories }: CodesProps) {
  const of: FormState = { values: { ...search, type: search.type ?? '' }, faults: [] };
  return (
    <form class="card search" action="/codes" role="search">
      <Input of={of} name="q" label="Name" type="search" />
      <Select
        of={of}
        name="type"
        label="Type"
        choices={[['', 'All types'], ...codeTypes.map((type): [string, string] => [type, typeNames[type]])]}
      />
      <Select
        of={of}
        name="category"
        label="Category"
        choices={[
          ['', 'All categories'],
          ...categories.map((category): [string, string] => [category, category]),
        ]}
      />
      <button type="submit">Search</button>
    </form>
  );
}

function Table({ visitor, rows, here }: CodesProps) {
  return (
    <div class="card scroll">
      <table class="stack codes">
        <caption class="unseen">Your QR codes, favourites first, then the newest</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Category</th>
            <th scope="col" class="number">
              Scans
            </th>
            <th scope="col">Last 30 days</th>
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <CodeLine key={row.code.id} visitor={visitor} of={row} here={here} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LineProps {
  visitor: Visitor;
  of: CodeRow;
  here: string;
}

function CodeLine({ visitor, of: row, here }: LineProps) {
  const { code, isExpired, scans, daily } = row;
  return (
    <tr>
      <th scope="row">
        <div class="code-name">
          <Star visitor={visitor} of={row} here={here} />
          <img src={`/codes/${code.id}/picture.svg`} width="56" height="56" alt="" loading="lazy" />
          <div>
            <a href={`/codes/${code.id}`}>
              <bdi>{code.name}</bdi>
            </a>{' '}
            {!code.isPublic && <span class="badge">private</span>}{' '}
            {isExpired && <span class="badge">expired</span>}
          </div>
        </div>
      </th>
      <td data-label="Type">{typeNames[code.type]}</td>
      <td data-label="Category">{code.category ? <bdi>{code.category}</bdi> : '–'}</td>
      <td data-label="Scans" class="number">
        {scans}
      </td>
      <td data-label="Last 30 days">
        <Sparkline daily={daily} />
      </td>
      <td>
        <Actions visitor={visitor} of={row} here={here} />
      </td>
    </tr>
  );
}

function Star({ visitor, of: { code }, here }: LineProps) {
  return (
    <Form action={`/codes/${code.id}/favorite`} visitor={visitor} class="inline">
      <input type="hidden" name="back" value={here} />
      <input type="hidden" name="isFavorite" value={String(!code.isFavorite)} />
      <button
        type="submit"
        class="star"
        aria-label={`Favourite: ${code.name}`}
        aria-pressed={code.isFavorite ? 'true' : 'false'}
      >
        {code.isFavorite ? '★' : '☆'}
      </button>
    </Form>
  );
}

function Actions({ visitor, of: { code }, here }: LineProps) {
  return (
    <details class="actions">
      <summary aria-label={`Actions for ${code.name}`}>Actions</summary>
      <a href={`/codes/${code.id}/edit`}>Edit</a>
      <Form action={`/codes/${code.id}/duplicate`} visitor={visitor}>
        <button type="submit" class="link">
          Duplicate
        </button>
      </Form>
      <Form action={`/codes/${code.id}/visibility`} visitor={visitor}>
        <input type="hidden" name="back" value={here} />
        <input type="hidden" name="isPublic" value={String(!code.isPublic)} />
        <button type="submit" class="link">
          {code.isPublic ? 'Make private' : 'Make public'}
        </button>
      </Form>
      <a href={`/codes/${code.id}/delete`}>Delete</a>
    </details>
  );
}
