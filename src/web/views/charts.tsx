import type { ComponentChildren } from 'preact';

/** One bar of the timeline: a day, or a week where a bar a day would be too thin to see. */
interface Bar {
  from: string;
  to: string;
  scans: number;
}

const chartHeight = 100;
const daysAWeek = 7;
const mostBars = 100;
const shownRanks = 8;

/** Drawn to any width: the words beside it are no part of the picture, and so keep their size. */
export function Timeline({ timeline }: { timeline: { date: string; scans: number }[] }) {
  const isWeekly = timeline.length > mostBars;
  const bars = toBars(timeline, isWeekly ? daysAWeek : 1);
  const most = Math.max(1, ...bars.map(({ scans }) => scans));
  const total = bars.reduce((sum, { scans }) => sum + scans, 0);
  const [first, last] = [bars[0], bars.at(-1)];
  const best = bars.find(({ scans }) => scans === most);
  const unit = isWeekly ? 'week' : 'day';
  const label = `Scans a ${unit} from ${first?.from} to ${last?.to}: ${total} in all${
    best ? `, at most ${most}, on ${nameOf(best)}` : ''
  }.`;
  const today = timeline.at(-1);
  return (
    <figure class="timeline">
      <figcaption>
        Scans a {unit}, by UTC day; the highest bar is <span id="timeline-most">{figure(most)}</span>
      </figcaption>
      <svg
        id="timeline"
        viewBox={`0 0 ${bars.length * 10} ${chartHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        data-date={today?.date}
        data-rest={(last?.scans ?? 0) - (today?.scans ?? 0)}
      >
        {bars.map((bar, index) => {
          const height = Math.round((bar.scans / most) * chartHeight * 10) / 10;
          return (
            <rect
              key={bar.from}
              x={index * 10 + 1}
              y={chartHeight - height}
              width="8"
              height={height}
              data-scans={bar.scans}
            >
              <title>{`${nameOf(bar)}: ${bar.scans}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="ends">
        <span>{first?.from}</span>
        <span>{last?.to}</span>
      </p>
      <details>
        <summary>Figures of each day</summary>
        <div class="tall" tabIndex={0} role="region" aria-label="Figures of each day">
          <table>
            <caption class="unseen">Scans of each day, newest first</caption>
            <thead>
              <tr>
                <th scope="col">Day (UTC)</th>
                <th scope="col" class="number">
                  Scans
                </th>
              </tr>
            </thead>
            <tbody id="days">
              {timeline.toReversed().map(({ date, scans }) => (
                <tr key={date}>
                  <th scope="row">{date}</th>
                  <td class="number">{figure(scans)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function toBars(timeline: { date: string; scans: number }[], daysABar: number): Bar[] {
  const bars: Bar[] = [];
  // From the end, so that the last bar is whole and ends today.
  for (let end = timeline.length; end > 0; end -= daysABar) {
    const days = timeline.slice(Math.max(0, end - daysABar), end);
    const scans = days.reduce((sum, day) => sum + day.scans, 0);
    bars.unshift({ from: days[0]?.date ?? '', to: days.at(-1)?.date ?? '', scans });
  }
  return bars;
}

function nameOf({ from, to }: Bar): string {
  return from === to ? from : `${from} to ${to}`;
}

interface RankingProps {
  /** Names the table. */
  caption: string;
  column: string;
  rows: { name: string; count: number }[];
  /** What the shares are of. */
  total: number;
  children?: ComponentChildren;
}

/** Bars beside their figures: the table is the text of the chart. What comes after the first few is one step away. */
export function Ranking({ caption, column, rows, total, children }: RankingProps) {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const rest = rows.slice(shownRanks);
  return (
    <section class="card ranking">
      <h3>{caption}</h3>
      {children}
      {rows.length === 0 ? (
        <p class="quiet">None yet.</p>
      ) : (
        <RankTable caption={caption} column={column}>
          {rows.slice(0, shownRanks).map(({ name, count }) => (
            <tr key={name}>
              <th scope="row">
                <bdi>{name}</bdi>
                <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={Math.round((count / most) * 1000) / 10} height="1" />
                </svg>
              </th>
              <Figures count={count} total={total} />
            </tr>
          ))}
        </RankTable>
      )}
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
      <td class="number">{figure(count)}</td>
      <td class="number">{total === 0 ? '–' : `${((count / total) * 100).toFixed(1)} %`}</td>
    </>
  );
}

export function figure(value: number): string {
  return value.toLocaleString('en');
}
