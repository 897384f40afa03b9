import type { ComponentChildren } from 'preact';

const chartHeight = 100;
const markTop = 4;
/** Upper ends of the axis, times a power of ten. Half of each is a round number too. */
const roundTops = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8];

interface Bar {
  key: string;
  value: number;
  /** Shown for the bar that is pointed at. */
  title: string;
  isFaint?: boolean;
  /** A small mark above it. Its title says what for. */
  isMarked?: boolean;
}

interface BarChartProps {
  id?: string;
  bars: Bar[];
  /** The value at the upper end of the axis. */
  top: number;
  /** The chart in words, for screen readers. */
  label: string;
  /** A value on the axis. */
  format(value: number): string;
  /** Below the chart at equal distances, the first at its left end and the last at its right end. */
  ends: ComponentChildren[];
}

/** The chart stretches to any width. Its texts are outside the SVG and keep their size. Styles: codes/detail/charts.css. */
export function BarChart({ id, bars, top, label, format, ends }: BarChartProps) {
  return (
    <>
      <div class="plot">
        <svg
          id={id}
          viewBox={`0 0 ${bars.length * 10} ${chartHeight}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
        >
          {bars.map(({ key, value, title, isFaint = false }, index) => {
            const height = Math.round((value / top) * chartHeight * 10) / 10;
            return (
              <rect
                key={key}
                class={isFaint ? 'unfinished' : undefined}
                x={index * 10 + 1}
                y={chartHeight - height}
                width="8"
                height={height}
                data-value={value}
              >
                <title>{title}</title>
              </rect>
            );
          })}
          {bars.map(({ key, isMarked = false }, index) => isMarked && <Mark key={key} x={index * 10 + 5} />)}
        </svg>
        <p class="axis" aria-hidden="true">
          <span>{format(top)}</span>
          <span>{format(top / 2)}</span>
          <span>0</span>
        </p>
      </div>
      <p class="ends">
        {ends.map((end, index) => (
          <span key={index}>{end}</span>
        ))}
      </p>
    </>
  );
}

/** A dot with a line down to the bar. Strokes keep their width, however wide the chart is. */
function Mark({ x }: { x: number }) {
  return (
    <>
      <path class="mark-line" d={`M${x} ${markTop}V${chartHeight}`} vector-effect="non-scaling-stroke" />
      <path class="mark" d={`M${x} ${markTop}h0`} vector-effect="non-scaling-stroke" />
    </>
  );
}

/** For whole numbers: even, so that half of it is a whole number too. */
export function axisTop(most: number): number {
  for (let power = 1; ; power *= 10) {
    const top = roundTops
      .map((round) => Math.round(round * power))
      .find((round) => round >= most && round % 2 === 0);
    if (top !== undefined) return top;
  }
}

/** For rates, which may be below 1. Half of it has at most two decimals. */
export function rateAxisTop(most: number): number {
  if (most === 0) return 1;
  for (let power = 0.1; ; power *= 10) {
    const top = roundTops.map((round) => round * power).find((round) => round >= most);
    if (top !== undefined) return top;
  }
}
