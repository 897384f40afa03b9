import { figure, shortFigure } from './figure.ts';

const shortFrom = 1_000_000;

/** A number where space is short: from a million on "123.5M", with the full number as tooltip and for screen readers. */
export function ShortFigure({ value }: { value: number }) {
  if (value < shortFrom) return <>{figure(value)}</>;
  return (
    <span title={figure(value)}>
      <span aria-hidden="true">{shortFigure(value)}</span>
      <span class="unseen">{figure(value)}</span>
    </span>
  );
}
