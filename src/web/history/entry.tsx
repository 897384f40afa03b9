import type { ComponentChildren } from 'preact';
import type { Change } from '../../history/changes.ts';
import { Icon } from '../ui/icons.tsx';
import { When, Who } from './actor.tsx';
import type { TypesOfChange } from './change-lines.ts';
import type { ChangeLine } from './content-lines.ts';
import { FieldValue } from './field-value.tsx';

interface EntryProps {
  change: Change;
  lines: ChangeLine[];
  types?: TypesOfChange;
  now: Date;
  /** What it is about, where that differs between entries. */
  subject?: ComponentChildren;
  /** Beside it. */
  actions?: ComponentChildren;
  /** Below what has changed. */
  children?: ComponentChildren;
}

/** An entry of a history: who, when and what, in words. */
export function Entry({ change, lines, types = {}, now, subject, actions, children }: EntryProps) {
  return (
    <li class="entry">
      <p class="entry-head">
        <strong>
          <Who change={change} />
        </strong>{' '}
        <When at={change.at} now={now} />
      </p>
      {subject}
      <ul class="lines">
        {lines.map((line) => (
          <li key={`${line.field} ${line.text}`}>
            <Line line={line} types={types} />
          </li>
        ))}
      </ul>
      {children}
      {actions}
    </li>
  );
}

/** What was done to a field, with the values before and after it. */
export function Line({ line, types }: { line: ChangeLine; types: TypesOfChange }) {
  const { field, text, from, to } = line;
  const [hasFrom, hasTo] = ['from' in line, 'to' in line];
  if (!hasFrom && !hasTo) return <>{text}</>;
  return (
    <>
      {text}
      {hasFrom && hasTo ? '' : ':'}{' '}
      <span class="values">
        {hasFrom && (
          <span class="from">
            {hasTo && <span class="unseen">from </span>}
            <FieldValue field={field} value={from} type={types.before} />
          </span>
        )}
        {hasFrom && hasTo && (
          <>
            {' '}
            <Icon name="arrow-right" />{' '}
          </>
        )}
        {hasTo && (
          <span class="to">
            {hasFrom && <span class="unseen">to </span>}
            <FieldValue field={field} value={to} type={types.after} />
          </span>
        )}
      </span>
    </>
  );
}
