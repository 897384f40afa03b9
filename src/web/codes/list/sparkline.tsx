import { figure } from '../../ui/figure.ts';

const width = 120;
const height = 28;
const margin = 2;

/** A small line of scans per day, with a text for screen readers. */
export function Sparkline({ daily }: { daily: number[] }) {
  const most = Math.max(0, ...daily);
  const sum = daily.reduce((total, scans) => total + scans, 0);
  const words =
    sum === 0
      ? `No scans in ${daily.length} days`
      : `Scans in ${daily.length} days: ${figure(sum)}, at most ${figure(most)} a day`;
  const step = (width - 2 * margin) / Math.max(1, daily.length - 1);
  const points = daily.map((scans, day) => {
    const y = height - margin - (scans / Math.max(1, most)) * (height - 2 * margin);
    return `${(margin + day * step).toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg
      class={sum === 0 ? 'sparkline none' : 'sparkline'}
      role="img"
      aria-label={words}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" stroke-width="2" />
    </svg>
  );
}
