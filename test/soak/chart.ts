import { faultTargets } from './faults.ts';
import { drawPanel, type Frame, niceTicks, type Series } from './chart-panel.ts';
import type { Sample } from './samples.ts';
import type { SoakResult } from './soak.ts';

const width = 960;
const left = 78;
const right = 84;
const rowHeight = 14;
const timelineTop = 40;
const panelHeight = 96;
const panelGap = 44;

/** Light and dark: an SVG in an <img> follows the color scheme of the reader. */
const style = `
  .back { fill: #ffffff } .text { fill: #1f2328 } .quiet { fill: #59636e } .grid { stroke: #d1d9e0 }
  .mark { stroke: #d1d9e0; opacity: .7 }
  .web { --c: #0969da } .worker { --c: #1a7f37 } .redis { --c: #cf222e } .postgres { --c: #8250df }
  .disk { --c: #9a6700 } .clock { --c: #1b7c83 } .plain { --c: #0969da }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } .text { fill: #e6edf3 } .quiet { fill: #9198a1 } .grid { stroke: #3d444d }
    .mark { stroke: #3d444d }
    .web { --c: #58a6ff } .worker { --c: #3fb950 } .redis { --c: #ff7b72 } .postgres { --c: #bc8cff }
    .disk { --c: #d29922 } .clock { --c: #39c5cf } .plain { --c: #58a6ff }
  }
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif }
  .title { font-weight: 600 }
  .fault { fill: var(--c) } .line { stroke: var(--c); fill: none; stroke-width: 1.5; stroke-linejoin: round }
  .dashed { stroke-dasharray: 5 3 } .name { fill: var(--c) }`;

/** The faults on top, then what clients and operators saw meanwhile, over the same time. */
export function soakChart(result: SoakResult): string {
  const { faults, lifetimes } = result;
  const endMs = result.seconds * 1000;
  const samples = result.samples.filter(({ atMs }) => atMs <= endMs);
  const backlogs = backlogsOf(samples);
  const x = (ms: number) => left + (ms / endMs) * (width - left - right);
  const timelineEnd = timelineTop + faultTargets.length * rowHeight;
  const top = (panel: number) => timelineEnd + panelGap + panel * (panelHeight + panelGap);
  const frame = (panel: number): Frame => ({
    left,
    right: width - right,
    top: top(panel),
    height: panelHeight,
    x,
  });
  const height = top(4) - panelGap + 40;

  const timeline = faultTargets.flatMap((target, row) => {
    const y = timelineTop + row * rowHeight;
    const bars = faults
      .filter((fault) => fault.target === target)
      .map(({ atMs, heldMs, recoveryMs, name, detail }) => {
        const barWidth = Math.max(2, x(atMs + heldMs + recoveryMs) - x(atMs));
        const title = `<title>${name}: ${escape(detail)}</title>`;
        return `<rect class="fault ${target}" x="${px(x(atMs))}" y="${y + 2}" width="${px(barWidth)}" height="${rowHeight - 4}">${title}</rect>`;
      });
    return [
      `<text class="name ${target}" x="${left - 8}" y="${y + 11}" text-anchor="end">${labels[target]}</text>`,
      ...bars,
    ];
  });
  const marks = faults.map(
    ({ atMs }) =>
      `<line class="mark" x1="${px(x(atMs))}" x2="${px(x(atMs))}" y1="${timelineEnd}" y2="${top(3) + panelHeight}"/>`,
  );
  const series = (value: (sample: (typeof samples)[number]) => number | undefined): Series[] => [
    { className: 'plain', points: samples.map((sample) => [sample.atMs, value(sample)]) },
  ];
  const memory = lifetimes.flatMap(({ name, lifetimes: lived }): Series[] =>
    lived.map(({ memory: used }, index) => ({
      className: `${name.startsWith('web') ? 'web' : 'worker'}${name.endsWith('1') ? '' : ' dashed'}`,
      ...(index === lived.length - 1 && { label: name }),
      points: used.filter(({ atMs }) => atMs <= endMs).map(({ atMs, bytes }) => [atMs, bytes / 1e6]),
    })),
  );
  const minutes = niceTicks(endMs / 60_000, 12)
    .filter((minute) => minute * 60_000 <= endMs)
    .map((minute) => {
      const text = `<text class="quiet" x="${px(x(minute * 60_000))}" y="${height - 16}" text-anchor="middle">${minute}${minute === 0 ? ' min' : ''}</text>`;
      return text;
    });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${faults.length} faults in ${Math.round(endMs / 60_000)} minutes, and redirects, slowest redirect, backlog and memory meanwhile">
<style>${style}
</style>
<rect class="back" width="${width}" height="${height}"/>
<text class="text title" x="${left}" y="26">${faults.length} faults: from the start of each until everything has recovered</text>
${[
  ...marks,
  ...timeline,
  drawPanel(
    frame(0),
    'Redirects per second',
    series((sample) => sample.redirectsPerSecond),
  ),
  drawPanel(
    frame(1),
    'Slowest redirect in 10 s, ms',
    series(({ slowestMs }) => Math.max(1, slowestMs)),
    'log',
  ),
  drawPanel(
    frame(2),
    'Redirects whose scans are not recorded yet',
    series((sample) => backlogs.get(sample)),
  ),
  drawPanel(frame(3), 'Resident memory, MB', memory),
  ...minutes,
].join('\n')}
</svg>
`;
}

/** While PostgreSQL does not respond, nothing is recorded, and the redirects add up. */
function backlogsOf(samples: Sample[]): Map<Sample, number> {
  let last = 0;
  let lastMs = 0;
  return new Map(
    samples.map((sample) => {
      last = sample.backlog ?? last + (sample.redirectsPerSecond * (sample.atMs - lastMs)) / 1000;
      lastMs = sample.atMs;
      return [sample, last];
    }),
  );
}

const labels = {
  web: 'web',
  worker: 'worker',
  redis: 'Redis',
  postgres: 'Postgres',
  disk: 'disk',
  clock: 'clock',
};
const px = (value: number) => value.toFixed(1);
const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
