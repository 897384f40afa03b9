import type { ComponentChildren } from 'preact';
import { ShortFigure } from '../../ui/short-figure.tsx';

const shownRows = 8;

interface RankingProps {
  /** Names the table. */
  caption: string;
  column: string;
  rows: { name: string; count: number }[];
  /** The shares are parts of this. */
  total: number;
  /** Instead of the table, where there are no rows. */
  none?: string;
  /** Beside the table. */
  children?: ComponentChildren;
}

/** A table whose names have bars behind them. Only the first rows are open. */
export function Ranking({ caption, column, rows, total, none, children }: RankingProps) {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const rest = rows.slice(shownRows);
  if (rows.length === 0 && none !== undefined)
    return (
      <section class="card ranking">
        <h3>{caption}</h3>
        <p class="quiet">{none}</p>
      </section>
    );
  return (
    <section class={children ? 'card ranking wide' : 'card ranking'}>
      <h3>{caption}</h3>
      {children}
      <div>
        <RankTable caption={caption} column={column}>
          {rows.slice(0, shownRows).map(({ name, count }) => (
            <tr key={name}>
              <th scope="row">
                <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={Math.round((count / most) * 1000) / 10} height="1" />
                </svg>
                <bdi>{name}</bdi>
              </th>
              <Figures count={count} total={total} />
            </tr>
          ))}
        </RankTable>
        {rest.length > 0 && (
          <details>
            <summary>{rest.length} more</summary>
            <RankTable caption={`${caption}, the others`} column={column}>
              {rest.map(({ name, count }) => (
                <tr key={name}>
                  <th scope="row">
                    <bdi>{name}</bdi>
                  </th>
                  <Figures count={count} total={total} />
                </tr>
              ))}
            </RankTable>
          </details>
        )}
      </div>
    </section>
  );
}

function RankTable(props: { caption: string; column: string; children: ComponentChildren }) {
  return (
    <table>
      <caption class="unseen">{props.caption}</caption>
      <thead>
        <tr>
          <th scope="col">{props.column}</th>
          <th scope="col" class="number">
            Scans
          </th>
          <th scope="col" class="number">
            Share
          </th>
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  );
}

function Figures({ count, total }: { count: number; total: number }) {
  return (
    <>
      <td class="number">
        <ShortFigure value={count} />
      </td>
      <td class="number">{total === 0 ? '–' : `${((count / total) * 100).toFixed(1)} %`}</td>
    </>
  );
}
