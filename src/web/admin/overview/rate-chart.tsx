import { BarChart, rateAxisTop } from '../../ui/bar-chart.tsx';
import { timeInWords } from '../../ui/day.ts';
import { useLocale } from '../../ui/layout.tsx';

interface RateChartProps {
  title: string;
  /** After each value: " per second", " s". */
  unit: string;
  minutes: Date[];
  /** One for each minute. */
  values: number[];
}

/** A value for each minute of the last hour. */
export function RateChart({ title, unit, minutes, values }: RateChartProps) {
  const locale = useLocale();
  const most = Math.max(0, ...values);
  const top = rateAxisTop(most);
  const [first, last] = [minutes[0], minutes.at(-1)];
  const at = minutes[values.indexOf(most)];
  const time = (minute: Date | undefined) => (minute ? timeInWords(minute, locale) : '');
  const words =
    most === 0
      ? `${title}: none from ${time(first)} to ${time(last)}.`
      : `${title} from ${time(first)} to ${time(last)}: at most ${rate(most)}${unit}, at ${time(at)}; last ${rate(values.at(-1) ?? 0)}${unit}.`;
  return (
    <figure class="card rate">
      <figcaption>
        {title}
        <span class="quiet">, {unit.trim()}</span>
      </figcaption>
      <BarChart
        bars={values.map((value, index) => ({
          key: String(index),
          value: Math.round(value * 1_000) / 1_000,
          title: `${time(minutes[index])}: ${rate(value)}${unit}`,
        }))}
        top={top}
        label={words}
        format={rate}
        ends={[time(first), time(last)]}
      />
    </figure>
  );
}

const short = Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const whole = Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** "0.25", "3.5", "1,234" */
export function rate(value: number): string {
  return value >= 100 ? whole.format(value) : short.format(value);
}
