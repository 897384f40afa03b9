import type { ComponentChildren } from 'preact';
import { axisTop, BarChart } from '../../ui/bar-chart.tsx';
import { dayInWords } from '../../ui/time.tsx';
import { figure, shortFigure } from '../../ui/words.tsx';
import { useLocale } from '../../ui/visitor.ts';
import { Day, ShortDay } from '../../ui/time.tsx';
import { ShortFigure } from '../../ui/words.tsx';

/** A day, or a week where bars for days would be too thin. */
interface Bar {
  from: string;
  to: string;
  scans: number;
}

const maxBars = 100;
/** The first that gives few enough bars. */
const units = [
  { days: 1, name: 'day', last: 'Today so far' },
  { days: 7, name: 'week', last: 'The week up to today' },
  { days: 30, name: '30 days', last: 'The last bar' },
] as const;
const shortAxisFrom = 10_000;

interface TimelineProps {
  timeline: { date: string; scans: number }[];
  /** Else all days are complete. */
  endsToday?: boolean;
  /** All days are complete, and there is no table. */
  isExample?: boolean;
  /** The days on which what the code opens was changed. */
  changed?: ReadonlySet<string>;
}

const noDays: ReadonlySet<string> = new Set();
const changeText = 'destination changed';

export function Timeline(props: TimelineProps) {
  const { timeline, endsToday = true, isExample = false, changed = noDays } = props;
  const { days, name: unit, last } = units.find((each) => timeline.length <= each.days * maxBars) ?? units[2];
  const isOver = isExample || !endsToday;
  const bars = toBars(timeline, days);
  const most = Math.max(0, ...bars.map(({ scans }) => scans));
  const top = axisTop(most);
  const locale = useLocale();
  return (
    <figure class="timeline">
      <figcaption>
        {most === 0
          ? timeline.length === 1
            ? 'No scans on this day'
            : `No scans in these ${timeline.length} days`
          : `Scans per ${unit}${isExample ? '' : ` (UTC).${isOver ? '' : ` ${last} is fainter.`}`}`}
      </figcaption>
      <BarChart
        id="timeline"
        bars={bars.map((bar, index) => {
          const isFaint = index === bars.length - 1 && !isOver;
          const isMarked = [...changed].some((day) => day >= bar.from && day <= bar.to);
          const mark = isMarked ? `, ${changeText}` : '';
          const title = `${nameOf(bar, locale)}${isFaint ? ' (so far)' : ''}: ${figure(bar.scans)}${mark}`;
          return { key: bar.from, value: bar.scans, title, isFaint, isMarked };
        })}
        top={top}
        label={`${inWords(bars, most, unit, locale)}${isOver || most === 0 ? '' : ` The last ${unit === '30 days' ? 'bar' : unit} is not complete yet.`}${changesInWords(changed, locale)}`}
        format={(value) => axisFigure(value, top)}
        ends={[
          <Day key="from" date={bars[0]?.from ?? ''} />,
          ...[1, 2, 3].map((quarter) => (
            <ShortDay key={quarter} date={bars[Math.floor((quarter / 4) * bars.length)]?.from ?? ''} />
          )),
          <Day key="to" date={bars.at(-1)?.to ?? ''} />,
        ]}
      />
      {changed.size > 0 && <p class="mark-key">The destination was changed on marked days.</p>}
      {!isExample && <DayFigures timeline={timeline} changed={changed} />}
    </figure>
  );
}

function DayFigures({
  timeline,
  changed,
}: {
  timeline: { date: string; scans: number }[];
  changed: ReadonlySet<string>;
}) {
  return (
    <details>
      <summary>Table of scans per day</summary>
      <div class="tall" tabIndex={0} role="region" aria-label="Table of scans per day">
        <table>
          <caption class="unseen">Scans per day, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              <th scope="col" class="number">
                Scans
              </th>
              {changed.size > 0 && <th scope="col">Changes</th>}
            </tr>
          </thead>
          <tbody>
            {timeline.toReversed().map(({ date, scans }) => (
              <tr key={date}>
                <th scope="row">
                  <Day date={date} />
                </th>
                <td class="number">{figure(scans)}</td>
                {changed.size > 0 && <td>{changed.has(date) ? 'Destination changed' : ''}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function toBars(timeline: { date: string; scans: number }[], daysPerBar: number): Bar[] {
  const bars: Bar[] = [];
  // From the end, so that the last bar is a full week up to today. Remaining days join the first bar: as a bar of their
  // own they would look like a drop.
  const left = timeline.length % daysPerBar;
  for (let end = timeline.length; end > left; end -= daysPerBar) {
    const start = end - daysPerBar > left ? end - daysPerBar : 0;
    const days = timeline.slice(start, end);
    const scans = days.reduce((sum, day) => sum + day.scans, 0);
    bars.unshift({ from: days[0]?.date ?? '', to: days.at(-1)?.date ?? '', scans });
  }
  return bars;
}

/** Both numbers in the same form, short where they would not fit the narrow axis. */
function axisFigure(value: number, top: number): string {
  return top < shortAxisFrom ? figure(value) : shortFigure(value);
}

function inWords(bars: Bar[], most: number, unit: string, locale: string): string {
  const total = bars.reduce((sum, { scans }) => sum + scans, 0);
  const period = `from ${dayInWords(bars[0]?.from ?? '', locale)} to ${dayInWords(bars.at(-1)?.to ?? '', locale)}`;
  const best = bars.find(({ scans }) => scans === most);
  if (!best || total === 0) return `No scans ${period}.`;
  return `Scans per ${unit} ${period}: ${figure(total)} in total, at most ${figure(most)}, on ${nameOf(best, locale)}.`;
}

const maxDaysInWords = 10;

/** For the description of the chart. The table has all of them. */
function changesInWords(changed: ReadonlySet<string>, locale: string): string {
  if (changed.size === 0) return '';
  const days = [...changed].toSorted();
  const shown = days.slice(0, maxDaysInWords).map((day) => dayInWords(day, locale));
  const more = days.length > maxDaysInWords ? `; and on ${days.length - maxDaysInWords} other days` : '';
  return ` The destination was changed on ${shown.join('; ')}${more}.`;
}

function nameOf({ from, to }: Bar, locale: string): string {
  const first = dayInWords(from, locale);
  return from === to ? first : `${first} to ${dayInWords(to, locale)}`;
}

const shownRows = 8;

interface RankingProps {
  /** Names the table. */
  caption: string;
  column: string;
  /** The addition distinguishes equal names. */
  rows: { name: string; addition?: string; count: number }[];
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
          {rows.slice(0, shownRows).map(({ name, addition, count }) => (
            <tr key={`${name}${addition}`}>
              <th scope="row">
                <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={Math.round((count / most) * 1000) / 10} height="1" />
                </svg>
                <RowName name={name} addition={addition} />
              </th>
              <Figures count={count} total={total} />
            </tr>
          ))}
        </RankTable>
        {rest.length > 0 && (
          <details>
            <summary>{rest.length} more</summary>
            <RankTable caption={`${caption}, the others`} column={column}>
              {rest.map(({ name, addition, count }) => (
                <tr key={`${name}${addition}`}>
                  <th scope="row">
                    <RowName name={name} addition={addition} />
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

function RowName({ name, addition }: { name: string; addition: string | undefined }) {
  return (
    <bdi title={addition && `${name}${addition}`}>
      {name}
      {addition && <span class="addition">{addition}</span>}
    </bdi>
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
      <td class="number">{total === 0 ? '–' : `${((count / total) * 100).toFixed(1)}%`}</td>
    </>
  );
}
