export interface Series {
  className: string;
  /** Shown beside its last point. */
  label?: string;
  /** Milliseconds, and a value; the line has a gap where there is none. */
  points: [number, number | undefined][];
}

export interface Frame {
  left: number;
  right: number;
  top: number;
  height: number;
  x(ms: number): number;
}

const labelGap = 13;

/** Lines over time, with a title above and a scale that starts at 0, or at 1 if logarithmic. */
export function drawPanel(
  frame: Frame,
  title: string,
  series: Series[],
  scale: 'linear' | 'log' = 'linear',
): string {
  const { left, right, top, height, x } = frame;
  const values = series.flatMap(({ points }) =>
    points.flatMap(([, value]) => (value === undefined ? [] : [value])),
  );
  const ticks = scale === 'log' ? powersOfTen(Math.max(10, ...values)) : niceTicks(Math.max(1, ...values), 4);
  const max = ticks.at(-1) ?? 1;
  const share = (value: number) => (scale === 'log' ? Math.log10(value) / Math.log10(max) : value / max);
  const y = (value: number) => top + height * (1 - Math.min(1, share(value)));
  const grid = ticks.map(
    (tick) =>
      `<line class="grid" x1="${left}" x2="${right}" y1="${px(y(tick))}" y2="${px(y(tick))}"/>` +
      `<text class="quiet" x="${left - 8}" y="${px(y(tick) + 4)}" text-anchor="end">${tick.toLocaleString('en-US')}</text>`,
  );
  const lines = series.map(({ className, points }) => {
    let isPenDown = false;
    const path = points.map(([ms, value]) => {
      if (value === undefined) {
        isPenDown = false;
        return '';
      }
      const step = `${isPenDown ? 'L' : 'M'}${px(x(ms))} ${px(y(value))}`;
      isPenDown = true;
      return step;
    });
    return `<path class="line ${className}" d="${path.join('')}"/>`;
  });
  return [
    `<text class="text title" x="${left}" y="${top - 12}">${title}</text>`,
    ...grid,
    ...lines,
    ...labels(series, right, y),
  ].join('\n');
}

/** From the lowest up, moved apart where they would overlap. */
function labels(series: Series[], right: number, y: (value: number) => number): string[] {
  let last = Number.POSITIVE_INFINITY;
  return series
    .flatMap(({ label, className, points }) => {
      const value = points.at(-1)?.[1];
      return label === undefined || value === undefined ? [] : [{ label, className, at: y(value) + 4 }];
    })
    .toSorted((a, b) => b.at - a.at)
    .map(({ label, className, at }) => {
      last = Math.min(at, last - labelGap);
      return `<text class="name ${className.split(' ')[0]}" x="${right + 6}" y="${px(last)}">${label}</text>`;
    });
}

function powersOfTen(max: number): number[] {
  const exponents = Math.ceil(Math.log10(max));
  return Array.from({ length: exponents + 1 }, (_, exponent) => 10 ** exponent);
}

/** From 0 to at least `max`, in steps of 1, 2 or 5 times a power of ten. */
export function niceTicks(max: number, about: number): number[] {
  const rough = max / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) => index * step);
}

const px = (value: number) => value.toFixed(1);
