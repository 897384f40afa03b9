import { dayInWords } from '../../ui/day.ts';
import { figure, shortFigure } from '../../ui/figure.ts';
import { useLocale } from '../../ui/layout.tsx';
import { Day } from '../../ui/moment.tsx';

/** A day, or a week where bars for days would be too thin. */
interface Bar {
  from: string;
  to: string;
  scans: number;
}

const chartHeight = 100;
const daysPerWeek = 7;
const maxBars = 100;
const shortAxisFrom = 10_000;
/** Upper ends of the axis, times a power of ten. Half of each is a round number too. */
const roundTops = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8];

interface TimelineProps {
  timeline: { date: string; scans: number }[];
  /** All days are complete, and there is no table. */
  isExample?: boolean;
}

/** The chart stretches to any width. Its texts are outside the SVG and keep their size. */
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
      <div class="plot">
        <svg
          id="timeline"
          viewBox={`0 0 ${bars.length * 10} ${chartHeight}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${inWords(bars, most, unit, locale)}${isExample || most === 0 ? '' : ` The last ${unit} is not complete yet.`}`}
        >
          {bars.map((bar, index) => {
            const height = Math.round((bar.scans / top) * chartHeight * 10) / 10;
            const isLast = index === bars.length - 1 && !isExample;
            return (
              <rect
                key={bar.from}
                class={isLast ? 'unfinished' : undefined}
                x={index * 10 + 1}
                y={chartHeight - height}
                width="8"
                height={height}
                data-scans={bar.scans}
              >
                <title>{`${nameOf(bar, locale)}${isLast ? ' (so far)' : ''}: ${figure(bar.scans)}`}</title>
              </rect>
            );
          })}
        </svg>
        <p class="axis" aria-hidden="true">
          <span>{axisFigure(top, top)}</span>
          <span>{axisFigure(top / 2, top)}</span>
          <span>0</span>
        </p>
      </div>
      <p class="ends">
        <span>
          <Day date={bars[0]?.from ?? ''} />
        </span>
        <span>
          <Day date={bars.at(-1)?.to ?? ''} />
        </span>
      </p>
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

/** Even, so that half of it is a whole number. */
function axisTop(most: number): number {
  for (let power = 1; ; power *= 10) {
    const top = roundTops
      .map((round) => Math.round(round * power))
      .find((round) => round >= most && round % 2 === 0);
    if (top !== undefined) return top;
  }
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
