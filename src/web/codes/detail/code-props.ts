import type { QrCode } from '../../../codes/qr-code.ts';
import type { Analytics } from '../../../scans/analytics.ts';
import type { CityCount } from '../../../scans/top-cities.ts';
import type { Visitor } from '../../ui/layout.tsx';
import type { ScanLine } from './scan-line.tsx';

/** What the page of a code shows. */
export interface CodeProps {
  visitor: Visitor;
  code: QrCode;
  isExpired: boolean;
  /** By whoever runs the service. */
  isBlocked: boolean;
  abuseContact: string | undefined;
  abuseHref: string | undefined;
  /** The share link. */
  address: string;
  warnings: string[];
  /** Where this page is, to come back to. */
  here: string;
  days: number;
  periods: readonly number[];
  analytics: Analytics;
  cities: CityCount[];
  scans: ScanLine[];
  isFirstPage: boolean;
  /** The last scan of this page, where there is another page. */
  olderThan: string | undefined;
  /** What was done to it a moment ago. */
  flash?: string | undefined;
  /** That is told with its state. */
  wasMadePrivate: boolean;
}
