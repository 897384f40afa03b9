import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { ScanTotals } from '../../../scans/analytics.ts';
import { ShortFigure } from '../../ui/short-figure.tsx';
import { type ScanLine, ScanTableRow } from './scan-line.tsx';

/** What an open page receives when there are new scans. Its HTML is rendered by the components of the page. */
export interface LiveUpdate {
  /** All scans of the code. */
  ever: number;
  /** Scans by the number of days. */
  periods: ScanTotals['periods'];
  html: {
    today: string;
    periods: Record<string, string>;
    /** Rows of the latest scans, newest first. */
    scans: string;
  };
}

export function renderUpdate(totals: Omit<ScanTotals, 'exists'>, latest: ScanLine[]): LiveUpdate {
  const figureHtml = (value: number) => renderToString(h(ShortFigure, { value }));
  const periods = Object.entries(totals.periods).map(([days, scans]) => [days, figureHtml(scans)]);
  return {
    ever: totals.ever,
    periods: totals.periods,
    html: {
      today: figureHtml(totals.today),
      periods: Object.fromEntries(periods) as Record<string, string>,
      scans: latest.map((scan) => renderToString(<ScanTableRow scan={scan} />)).join(''),
    },
  };
}
