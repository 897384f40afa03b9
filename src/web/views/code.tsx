import type { QrCode } from '../../codes/qr-code.ts';
import type { Analytics } from '../../scans/analytics.ts';
import type { CityCount } from '../../scans/top-cities.ts';
import { figure, Ranking, Timeline } from './charts.tsx';
import { countryName } from './countries.ts';
import { Form, Layout, type Visitor } from './layout.tsx';
import { deviceName, type ScanLine, ScanTableRow } from './scan-line.tsx';
import { WorldMap } from './world-map.tsx';

interface CodeProps {
  visitor: Visitor;
  code: QrCode;
  isExpired: boolean;
  /** The share address. */
  address: string;
  warnings: string[];
  days: number;
  periods: readonly number[];
  analytics: Analytics;
  cities: CityCount[];
  scans: ScanLine[];
  isFirstPage: boolean;
  /** The last scan of this page, where there is another page. */
  olderThan: string | undefined;
}

export function CodeView(props: CodeProps) {
  const { visitor, code, days, analytics } = props;
  return (
    <Layout title={code.name} visitor={visitor} at="/codes">
      <script type="module" src={`${visitor.assets}/code.js`} />
      <CodeHead {...props} />
      <section aria-labelledby="analytics">
        <div class="heading">
          <h2 id="analytics">Scans</h2>
          <nav aria-label="Period" class="periods">
            {props.periods.map((period) => (
              <a
                key={period}
                href={`/codes/${code.id}?days=${period}`}
                aria-current={period === days ? 'page' : undefined}
              >
                {period} days
              </a>
            ))}
          </nav>
        </div>
        <div class="card">
          <dl class="totals" id="totals" data-days={days}>
            <Total name="Scans" id="total-scans" value={analytics.totalScans} />
            <Total name="Today" id="total-today" value={analytics.timeline.at(-1)?.scans ?? 0} />
            <Total name="Countries" value={analytics.uniqueCountries} />
            <Total name="Cities" value={analytics.uniqueCities} />
          </dl>
          <Timeline timeline={analytics.timeline} />
        </div>
        <Rankings {...props} />
      </section>
      <LatestScans {...props} />
    </Layout>
  );
}

function CodeHead({ visitor, code, isExpired, address, warnings }: CodeProps) {
  const isShown = code.isPublic && !isExpired;
  // The share address shows no picture of a code that is private or over: its owner still sees it, here.
  const picture = isShown ? `/r/${code.shareToken}` : `/codes/${code.id}/picture`;
  return (
    <section class="card code-head">
      <img src={`${picture}.svg`} width="200" height="200" alt={`QR code of ${code.name}`} />
      <div>
        <h1>
          <bdi>{code.name}</bdi>
        </h1>
        <p class="badges">
          <span class="badge">{code.type}</span>{' '}
          <span class={code.isPublic ? 'badge good' : 'badge'}>{code.isPublic ? 'public' : 'private'}</span>{' '}
          {isExpired && <span class="badge bad">expired</span>}{' '}
          {code.category !== null && (
            <span class="badge">
              <bdi>{code.category}</bdi>
            </span>
          )}
        </p>
        {!isShown && (
          <p>
            {isExpired
              ? 'Its share address says that the code is over. Scans are not counted.'
              : 'Its share address answers as if there were no code. Scans are not counted.'}
          </p>
        )}
        <label for="share-link">Share link</label>
        <div class="row">
          <input id="share-link" class="code" value={address} readOnly />
          <button type="button" data-copy="share-link">
            Copy link
          </button>
        </div>
        <p class="unseen" role="status" id="copied" />
        {warnings.length > 0 && (
          <div class="notice bad">
            <strong>This code may not work everywhere</strong>
            <ul>
              {warnings.map((warning) => (
                <li key={warning}>{inPlainWords(warning)}</li>
              ))}
            </ul>
          </div>
        )}
        {isShown ? (
          <Downloads picture={picture} />
        ) : (
          <p>
            <a href={`${picture}.svg`} download={`${code.name}.svg`}>
              Download SVG
            </a>
          </p>
        )}
        <div class="row">
          <a class="button quiet" href={`/codes/${code.id}/edit`}>
            Edit
          </a>
          <Form action={`/codes/${code.id}/duplicate`} visitor={visitor} class="inline">
            <button class="quiet" type="submit">
              Duplicate
            </button>
          </Form>
          <a class="button quiet" href={`/codes/${code.id}/delete`}>
            Delete
          </a>
        </div>
      </div>
    </section>
  );
}

function Downloads({ picture }: { picture: string }) {
  return (
    <dl class="downloads">
      <dt>Picture of the share link</dt>
      <dd>
        <a href={`${picture}.svg?download`}>SVG</a> <a href={`${picture}.png?download`}>PNG</a>
      </dd>
      <dt>Picture of the content itself (not counted)</dt>
      <dd>
        <a href={`${picture}.svg?download&encode=content`} aria-label="SVG of the content itself">
          SVG
        </a>{' '}
        <a href={`${picture}.png?download&encode=content`} aria-label="PNG of the content itself">
          PNG
        </a>
      </dd>
    </dl>
  );
}

/** The sentences are written for headers and programs, and name the fields as those do. */
function inPlainWords(warning: string): string {
  return warning
    .replace('With encode=content: ', 'The picture of the content itself: ')
    .replaceAll('foregroundColor', 'foreground colour')
    .replaceAll('backgroundColor', 'background colour')
    .replaceAll('errorCorrection', 'error correction');
}

function Total({ name, value, id }: { name: string; value: number; id?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd id={id}>{figure(value)}</dd>
    </div>
  );
}

function Rankings({ analytics, cities }: CodeProps) {
  const total = analytics.totalScans;
  const named = <Row extends { count: number }>(rows: Row[], name: (row: Row) => string) =>
    rows.map((row) => ({ name: name(row), count: row.count }));
  return (
    <>
      <Ranking
        caption="Countries"
        column="Country"
        rows={named(analytics.byCountry, ({ country }) => countryName(country))}
        total={total}
      >
        <WorldMap byCountry={analytics.byCountry} />
      </Ranking>
      <div class="rankings">
        <Ranking
          caption={cities.length < analytics.uniqueCities ? `Top ${cities.length} cities` : 'Cities'}
          column="City"
          rows={named(cities, cityName)}
          total={total}
        />
        <Ranking
          caption="Devices"
          column="Device"
          rows={named(analytics.byDevice, ({ device }) => deviceName(device))}
          total={total}
        />
        <Ranking
          caption="Browsers"
          column="Browser"
          rows={named(analytics.byBrowser, ({ browser }) => browser)}
          total={total}
        />
        <Ranking
          caption="Systems"
          column="System"
          rows={named(analytics.byOs, ({ os }) => os)}
          total={total}
        />
      </div>
    </>
  );
}

function cityName({ city, region, country }: CityCount): string {
  return [city, region, countryName(country)].filter(Boolean).join(', ');
}

function LatestScans({ code, days, scans, isFirstPage, olderThan }: CodeProps) {
  return (
    <section class="card" aria-labelledby="latest">
      <div class="heading">
        <h2 id="latest">{isFirstPage ? 'Latest scans' : 'Earlier scans'}</h2>
        <a href={`/codes/${code.id}/scans.csv`}>All scans as CSV</a>
      </div>
      <p id="none-yet" class="quiet" hidden={scans.length > 0}>
        No scans yet. Scan the code, or open its share link: the scan appears here.
      </p>
      <table class="stack" id="scans" hidden={scans.length === 0}>
        <caption class="unseen">Scans, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Place</th>
            <th scope="col">Device</th>
            <th scope="col">Browser</th>
            <th scope="col">System</th>
          </tr>
        </thead>
        <tbody data-live={isFirstPage ? '' : undefined}>
          {scans.map((scan) => (
            <ScanTableRow key={scan.id} of={scan} />
          ))}
        </tbody>
      </table>
      <p class="row">
        {!isFirstPage && <a href={`/codes/${code.id}?days=${days}#latest`}>Newest scans</a>}
        {olderThan !== undefined && (
          <a href={`/codes/${code.id}?days=${days}&before=${olderThan}#latest`}>Earlier scans</a>
        )}
      </p>
      <p class="unseen" role="status" id="live" />
    </section>
  );
}
