import { axisTop, BarChart } from '../../ui/bar-chart.tsx';
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
