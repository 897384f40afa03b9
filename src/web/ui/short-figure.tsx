import { figure, shortFigure } from './figure.ts';

const shortFrom = 1_000_000;

/** Also built by detail.browser.js. A figure where room is short: from a million on "123.5M", and in full for whoever points at it or hears it. */
export function ShortFigure({ value }: { value: number }) {
  if (value < shortFrom) return <>{figure(value)}</>;
  return (
    <span title={figure(value)}>
      <span aria-hidden="true">{shortFigure(value)}</span>
      <span class="unseen">{figure(value)}</span>
    </span>
  );
}
