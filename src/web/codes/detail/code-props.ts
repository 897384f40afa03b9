import type { QrCode } from '../../../codes/qr-code.ts';
import type { Analytics, CityCount } from '../../../scans/analytics.ts';
import type { GeoSource } from '../../../scans/geo-source.ts';
import type { Visitor } from '../../ui/layout.tsx';
import type { ScanLine } from './scan-line.tsx';

/** Everything that the page of a code shows. */
export interface CodeProps {
  visitor: Visitor;
  code: QrCode;
  isExpired: boolean;
  /** Where it ends soon. */
  endsIn: string | undefined;
  /** It works, and its owner was or will be told of its end. */
  isEnding: boolean;
  /** When scans begin to renew it; undefined if its end was chosen or has passed. */
  renewedFrom: Date | undefined;
  /** By the operator of the service. */
  isBlocked: boolean;
  abuseContact: string | undefined;
  abuseHref: string | undefined;
  /** The share link. */
  address: string;
  warnings: string[];
  /** The path of this page, for forms that return to it. */
  here: string;
  days: number;
  periods: readonly number[];
  analytics: Analytics;
  cities: CityCount[];
  geoSource: GeoSource | undefined;
  scans: ScanLine[];
  isFirstPage: boolean;
  /** The id of the last scan on this page, where there is another page. */
  olderThan: string | undefined;
  /** The message of the last action. */
  flash?: string | undefined;
  /** Shown together with the state, instead of the message. */
  wasMadePrivate: boolean;
}
