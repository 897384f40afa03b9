import type { ComponentChildren } from 'preact';
import { unknownCountry } from '../../../scans/scan.ts';
import { countryName } from './scan-line.tsx';
import { world } from './world.ts';
import { axisTop, BarChart } from '../../ui/bar-chart.tsx';
import { dayInWords } from '../../ui/time.tsx';
import { figure, shortFigure } from '../../ui/words.tsx';
import { useLocale } from '../../ui/visitor.ts';
import { Day } from '../../ui/time.tsx';
import { ShortFigure } from '../../ui/words.tsx';

/** A day, or a week where bars for days would be too thin. */
interface Bar {
  from: string;
  to: string;
  scans: number;
}

const daysPerWeek = 7;
const maxBars = 100;
const shortAxisFrom = 10_000;

interface TimelineProps {
  timeline: { date: string; scans: number }[];
  /** All days are complete, and there is no table. */
  isExample?: boolean;
}

export function Timeline({ timeline, isExample = false }: TimelineProps) {
  const isWeekly = timeline.length > maxBars;
  const bars = toBars(timeline, isWeekly ? daysPerWeek : 1);
  const most = Math.max(0, ...bars.map(({ scans }) => scans));
  const top = axisTop(most);
  const unit = isWeekly ? 'week' : 'day';
  const locale = useLocale();
  return (
    <figure class="timeline">
      <figcaption>
        {most === 0
          ? `No scans in these ${timeline.length} days`
          : `Scans per ${unit}${isExample ? '' : ` (UTC). ${isWeekly ? 'The week up to today' : 'Today so far'} is fainter.`}`}
      </figcaption>
      <BarChart
        id="timeline"
        bars={bars.map((bar, index) => {
          const isFaint = index === bars.length - 1 && !isExample;
          const title = `${nameOf(bar, locale)}${isFaint ? ' (so far)' : ''}: ${figure(bar.scans)}`;
          return { key: bar.from, value: bar.scans, title, isFaint };
        })}
        top={top}
        label={`${inWords(bars, most, unit, locale)}${isExample || most === 0 ? '' : ` The last ${unit} is not complete yet.`}`}
        format={(value) => axisFigure(value, top)}
        ends={[<Day key="from" date={bars[0]?.from ?? ''} />, <Day key="to" date={bars.at(-1)?.to ?? ''} />]}
      />
      {!isExample && <DayFigures timeline={timeline} />}
    </figure>
  );
}

function DayFigures({ timeline }: { timeline: { date: string; scans: number }[] }) {
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
            </tr>
          </thead>
          <tbody>
            {timeline.toReversed().map(({ date, scans }) => (
              <tr key={date}>
                <th scope="row">
                  <Day date={date} />
                </th>
                <td class="number">{figure(scans)}</td>
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

function nameOf({ from, to }: Bar, locale: string): string {
  const first = dayInWords(from, locale);
  return from === to ? first : `${first} to ${dayInWords(to, locale)}`;
}

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

const classes = 5;
const { width, height } = world;
const countries = world.outlines.map((outline) => {
  const [code = '', path = ''] = outline.split(':');
  return { code, path };
});

/** Each country shaded by its share of the scans. The table beside it has the numbers. */
export function WorldMap({ byCountry }: { byCountry: { country: string; count: number }[] }) {
  const counts = new Map(byCountry.map(({ country, count }) => [country, count]));
  const known = byCountry.filter(({ country }) => country !== unknownCountry);
  const most = Math.max(1, ...known.map(({ count }) => count));
  const leaders = known.slice(0, 3).map(({ country, count }) => `${countryName(country)} ${figure(count)}`);
  const label = `World map of scans by country. Most: ${leaders.join(', ')}.`;
  return (
    <svg class="world" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {countries.map(({ code, path }) => {
        const count = counts.get(code) ?? 0;
        if (code === '' || count === 0) return <path key={path} d={path} />;
        return (
          <path key={path} d={path} class={`shade-${shade(count, most)}`}>
            <title>{`${countryName(code)}: ${figure(count)}`}</title>
          </path>
        );
      })}
    </svg>
  );
}

/** Logarithmic, so that 10 and 100 scans differ beside a country with thousands. */
function shade(count: number, most: number): number {
  if (most === 1) return classes;
  return Math.max(1, Math.ceil((Math.log(count + 1) / Math.log(most + 1)) * classes));
}
