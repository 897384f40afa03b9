import { figure } from './figure.ts';

/** One bar of the timeline: a day, or a week where a bar a day would be too thin to see. */
interface Bar {
  from: string;
  to: string;
  scans: number;
}

const chartHeight = 100;
const daysAWeek = 7;
const mostBars = 100;
/** What the axis may end at, times a power of ten: each has a half that people can read. */
const roundTops = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8];

/** Drawn to any width: the words beside it are no part of the picture, and so keep their size. */
export function Timeline({ timeline }: { timeline: { date: string; scans: number }[] }) {
  const isWeekly = timeline.length > mostBars;
  const bars = toBars(timeline, isWeekly ? daysAWeek : 1);
  const most = Math.max(0, ...bars.map(({ scans }) => scans));
  const top = axisTop(most);
  const unit = isWeekly ? 'week' : 'day';
  return (
    <figure class="timeline">
      <figcaption>
        {most === 0
          ? `No scans in these ${timeline.length} days`
          : `Scans a ${unit}, by UTC day. The last bar is not over yet.`}
      </figcaption>
      <div class="plot">
        <svg
          id="timeline"
          viewBox={`0 0 ${bars.length * 10} ${chartHeight}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={inWords(bars, most, unit)}
        >
          {bars.map((bar, index) => {
            const height = Math.round((bar.scans / top) * chartHeight * 10) / 10;
            const isLast = index === bars.length - 1;
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
                <title>{`${nameOf(bar)}${isLast ? ' (so far)' : ''}: ${figure(bar.scans)}`}</title>
              </rect>
            );
          })}
        </svg>
        <p class="axis" aria-hidden="true">
          <span>{figure(top)}</span>
          <span>{figure(top / 2)}</span>
          <span>0</span>
        </p>
      </div>
      <p class="ends">
        <span>{bars[0]?.from}</span>
        <span>{bars.at(-1)?.to}</span>
      </p>
      <DayFigures timeline={timeline} />
    </figure>
  );
}

function DayFigures({ timeline }: { timeline: { date: string; scans: number }[] }) {
  return (
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
          <tbody>
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
  );
}

function toBars(timeline: { date: string; scans: number }[], daysABar: number): Bar[] {
  const bars: Bar[] = [];
  // From the end, so that the last bar is whole and ends today. A few days that are left over join the first bar: on
  // their own they would look like a collapse.
  const left = timeline.length % daysABar;
  for (let end = timeline.length; end > left; end -= daysABar) {
    const start = end - daysABar > left ? end - daysABar : 0;
    const days = timeline.slice(start, end);
    const scans = days.reduce((sum, day) => sum + day.scans, 0);
    bars.unshift({ from: days[0]?.date ?? '', to: days.at(-1)?.date ?? '', scans });
  }
  return bars;
}

/** Even, so that its half is whole. */
function axisTop(most: number): number {
  for (let power = 1; ; power *= 10) {
    const top = roundTops
      .map((round) => Math.round(round * power))
      .find((round) => round >= most && round % 2 === 0);
    if (top !== undefined) return top;
  }
}

function inWords(bars: Bar[], most: number, unit: string): string {
  const total = bars.reduce((sum, { scans }) => sum + scans, 0);
  const period = `from ${bars[0]?.from} to ${bars.at(-1)?.to}`;
  const best = bars.find(({ scans }) => scans === most);
  if (!best || total === 0) return `No scans ${period}.`;
  return `Scans a ${unit} ${period}: ${figure(total)} in all, at most ${figure(most)}, on ${nameOf(best)}. The last ${unit} is not over yet.`;
}

function nameOf({ from, to }: Bar): string {
  return from === to ? from : `${from} to ${to}`;
}
