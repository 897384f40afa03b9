import type { ComponentChildren } from 'preact';

interface Column<Row> {
  name: string;
  cell(row: Row): ComponentChildren;
  isNumber?: boolean;
  /** Buttons and links. Only screen readers get the name of the column. */
  isAction?: boolean;
  class?: string;
}

interface TableProps<Row> {
  /** For screen readers. */
  caption: string;
  /** `stacked` and `keys` become lists of labeled values on phones. */
  class: string;
  /** The first one names the row. */
  columns: Column<Row>[];
  rows: Row[];
  keyOf(row: Row, index: number): string;
}

export function Table<Row>({ caption, class: look, columns, rows, keyOf }: TableProps<Row>) {
  const [first, ...others] = columns;
  return (
    <table class={look}>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, isNumber, isAction }) => (
            <th key={name} scope="col" class={isNumber ? 'number' : undefined}>
              {isAction ? <span class="unseen">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)}>
            <th scope="row" class={first?.class}>
              {first?.cell(row)}
            </th>
            {others.map(({ name, cell, isNumber, isAction }) => (
              <td key={name} data-label={isAction ? undefined : name} class={isNumber ? 'number' : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PagesProps {
  firstPage?: string | undefined;
  previousPage?: string | undefined;
  nextPage?: string | undefined;
}

/** Links between the pages of a list. */
export function Pages({ firstPage, previousPage, nextPage }: PagesProps) {
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
