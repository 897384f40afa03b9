import { figure, shortFigure } from './figure.ts';

const shortFrom = 1_000_000;

/** Also built by detail.browser.js. A figure where room is short: from a million on "123.5M", and in full for whoever points at it or hears it. */
export function ShortFigure({ of }: { of: number }) {
  if (of < shortFrom) return <>{figure(of)}</>;
  return (
    <span title={figure(of)}>
      <span aria-hidden="true">{shortFigure(of)}</span>
      <span class="unseen">{figure(of)}</span>
    </span>
  );
}
