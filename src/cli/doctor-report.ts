import { type Finding, type State, subjects } from '../doctor/finding.ts';

const marks = { ok: '✓', warning: '!', failure: '✗' } as const;
const colours = { ok: 32, warning: 33, failure: 31 } as const;
const widest = 'warning'.length;

/** For a person: subject by subject, what to do below what is wrong, and the sum at the end. */
export function reportLines(findings: Finding[], inColour: boolean): string[] {
  const lines = subjects.flatMap((subject) => {
    const found = findings.filter((finding) => finding.subject === subject);
    return found.length === 0 ? [] : [subject, ...found.flatMap((finding) => linesOf(finding, inColour)), ''];
  });
  const [ok, warnings, failures] = (['ok', 'warning', 'failure'] as const).map(
    (state) => findings.filter((finding) => finding.state === state).length,
  );
  lines.push(
    `${ok} ok, ${warnings} warning${warnings === 1 ? '' : 's'}, ${failures} failure${failures === 1 ? '' : 's'}`,
  );
  return lines;
}

function linesOf({ state, finding, remedy }: Finding, inColour: boolean): string[] {
  const line = `  ${label(state, inColour)}  ${finding}`;
  return remedy === undefined ? [line] : [line, `    ${' '.repeat(widest)}  → ${remedy}`];
}

/** A mark and a word: the colour is never the only sign. */
function label(state: State, inColour: boolean): string {
  const text = `${marks[state]} ${state.padEnd(widest)}`;
  return inColour ? `\u001B[${colours[state]}m${text}\u001B[0m` : text;
}
