import { type Finding, type State, subjects } from '../doctor/finding.ts';
import { pluralize } from '../doctor/format.ts';
import { printResult } from './output.ts';

const marks = { ok: '✓', warning: '!', failure: '✗' } as const;
const colors = { ok: 32, warning: 33, failure: 31 } as const;
const stateWidth = 'warning'.length;

/** Prints the findings, and sets the exit code to 1 if one of them is a failure. */
export function printReport(findings: Finding[], asJson = false): void {
  const ok = findings.every(({ state }) => state !== 'failure');
  if (asJson) printResult(JSON.stringify({ ok, findings }, undefined, 2));
  else for (const line of reportLines(findings, hasColors(process.stdout))) printResult(line);
  if (!ok) process.exitCode = 1;
}

/** The report for a person: findings by subject, each remedy below its finding, and totals at the end. */
export function reportLines(findings: Finding[], useColor: boolean): string[] {
  const lines = subjects.flatMap((subject) => {
    const found = findings.filter((finding) => finding.subject === subject);
    return found.length === 0 ? [] : [subject, ...found.flatMap((finding) => linesOf(finding, useColor)), ''];
  });
  const [ok = 0, warnings = 0, failures = 0] = (['ok', 'warning', 'failure'] as const).map(
    (state) => findings.filter((finding) => finding.state === state).length,
  );
  lines.push(`${ok} ok, ${pluralize(warnings, 'warning')}, ${pluralize(failures, 'failure')}`);
  return lines;
}

function linesOf({ state, finding, remedy }: Finding, useColor: boolean): string[] {
  const line = `  ${label(state, useColor)}  ${finding}`;
  return remedy === undefined ? [line] : [line, `    ${' '.repeat(stateWidth)}  → ${remedy}`];
}

/** A mark and a word, so that color is never the only signal. */
function label(state: State, useColor: boolean): string {
  const text = `${marks[state]} ${state.padEnd(stateWidth)}`;
  return useColor ? `\u001B[${colors[state]}m${text}\u001B[0m` : text;
}

/** hasColors() also respects NO_COLOR. */
function hasColors(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && stream.hasColors();
}
