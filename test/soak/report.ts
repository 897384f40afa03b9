import { cpus, totalmem } from 'node:os';
import { faultKinds } from './faults.ts';
import { memoryTrend } from './memory.ts';
import type { SoakResult } from './soak.ts';

/** In Markdown, with the chart at this path. */
export function soakReport(result: SoakResult, chartPath: string): string {
  const { total, sent, checks, faults, unexpected } = result;
  const isGreen = checks.every(({ problems }) => problems.length === 0);
  const minutes = Math.round(result.seconds / 60);
  const worst = Math.max(0, ...result.samples.map(({ backlog }) => backlog ?? 0));
  const parts = [
    '# Soak test',
    `${faults.length} faults in ${minutes} minutes under ${result.perSecond} scans per second: ${isGreen ? 'every redirect was counted once' : '**not all checks passed**'}. The faults are a sequence that the seed ${result.seed} determines; \`npm run soak -- --minutes ${minutes} --every ${result.everySeconds} --rate ${result.perSecond} --seed ${result.seed}\` makes them again.`,
    `Two web and two worker processes with \`SCAN_JOURNAL=on\`, PostgreSQL with a synchronous standby, three Redis servers with three sentinels, and the client, all on one machine: ${machine()}.`,
    `![Faults, redirects, slowest redirect, backlog and memory over time](${chartPath})`,
    '## Scans',
    table(
      ['', 'Number'],
      [
        ['requests sent', count(sent)],
        ['redirects received', count(total.redirects)],
        ['connections broken by the kill of a web process', count(total.broken)],
        ['scans recorded', recordedText(result)],
        [
          '503 for codes that the process did not know, while PostgreSQL was disturbed',
          count(result.unavailable),
        ],
        ...(result.unavailableBusy > 0
          ? [
              [
                '503 for such codes while the machine was too busy for a bare query',
                count(result.unavailableBusy),
              ],
            ]
          : []),
        ['other responses', count(unexpected.length)],
        ['most redirects not recorded yet', count(worst)],
      ],
    ),
    'A request whose connection breaks because its web process is killed may have been recorded or not. Every other redirect must be recorded exactly once; this is checked for each code, and each fault has a code of its own.',
    '## Checks',
    checks
      .map(({ title, problems }) =>
        [`- ${problems.length === 0 ? 'passed' : '**failed**'}: ${title}`, ...problems].join('\n  - '),
      )
      .join('\n'),
    '## Faults',
    'Recovery: from the end of the fault until both web processes are ready, the replicas of Redis follow and the standby of PostgreSQL is synchronous again.',
    faultTable(result),
    ...result.impossible.map(({ name, reason }) => `Not made: ${name}, because ${reason}.`),
    '## Memory',
    'Resident memory. The first process of each kind is never killed. Early and late: the median of the first and of the last third, without the first five minutes.',
    memoryTable(result),
  ];
  return `${parts.map((part) => (/^[|!-]/.test(part) ? part : wrap(part))).join('\n\n')}\n`;
}

const maxLineLength = 125;
const count = (value: number) => value.toLocaleString('en-US');
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const megabytes = (bytes: number | undefined) =>
  bytes === undefined ? '–' : `${Math.round(bytes / 1e6)} MB`;

function machine(): string {
  return `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
}

function recordedText({ recorded, total }: SoakResult): string {
  const more = recorded - total.redirects;
  return `${count(recorded)} (${more === 0 ? 'equal' : `${count(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'}`})`;
}

function faultTable({ faults }: SoakResult): string {
  const rows = faultKinds.flatMap(({ name }) => {
    const made = faults.filter((fault) => fault.name === name);
    if (made.length === 0) return [];
    const recoveries = made.map(({ recoveryMs }) => recoveryMs).toSorted((a, b) => a - b);
    return [
      [
        name,
        String(made.length),
        seconds(made.reduce((sum, { heldMs }) => sum + heldMs, 0) / made.length),
        seconds(recoveries[Math.floor(recoveries.length / 2)] ?? 0),
        seconds(recoveries.at(-1) ?? 0),
      ],
    ];
  });
  return table(['Fault', 'Times', 'Held, on average', 'Recovery, median', 'Recovery, longest'], rows);
}

function memoryTable({ lifetimes }: SoakResult): string {
  const rows = lifetimes.map(({ name, lifetimes: lived }) => {
    const trends = lived.map(memoryTrend);
    const longest = trends.reduce((a, b) => (b.minutes > a.minutes ? b : a));
    return [
      name,
      String(lived.length),
      `${Math.round(longest.minutes)} min`,
      megabytes(longest.earlyBytes),
      megabytes(longest.lateBytes),
      megabytes(Math.max(...trends.map(({ maxBytes }) => maxBytes))),
    ];
  });
  return table(['Process', 'Starts', 'Longest life', 'Early', 'Late', 'Most'], rows);
}

function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** A paragraph or an item of a list, in lines as long as those of the other documents. */
function wrap(text: string, indent = ''): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = [lines.at(-1), word].filter(Boolean).join(' ');
    if (indent.length + longer.length <= maxLineLength) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join(`\n${indent}`);
}
