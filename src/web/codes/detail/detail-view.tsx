import { contentType } from '../../../codes/content/content-types.ts';
import { columnNames, dimensionTitles, rankingName } from '../../../scans/dimensions.ts';
import { unknownCountry } from '../../../scans/scan.ts';
import type { CityCount } from '../../../scans/analytics.ts';
import { type CodeProps, CodeSide, StateNotice } from './code-side.tsx';
import { ExpiryBadge, StateBadge, stateOf } from '../code-state.tsx';
import { Layout, Notice } from '../../ui/layout.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { ShortFigure } from '../../ui/words.tsx';
import { Star } from '../code-actions.tsx';
import { isDirectFirst } from '../downloads.tsx';
import { Ranking, Timeline, WorldMap } from './charts.tsx';
import { ScanTableRow, countryName, deviceName, scanColumns } from './scan-line.tsx';

export function CodeView(props: CodeProps) {
  const { code, wasMadePrivate } = props;
  const { assets, flash } = useVisitor();
  const state = stateOf(props);
  return (
    <Layout title={code.name} at="/codes" styles={['codes']}>
      <script type="module" src={`${assets}/codes/detail/detail.browser.js`} />
      <a class="back" href="/codes">
        ← All QR codes
      </a>
      <div class="code-title">
        <h1>
          <bdi>{code.name}</bdi>
        </h1>
        <Star code={code} back={props.here} />
        <p class="badges">
          <span class="badge">{contentType(code.type).name}</span> <StateBadge state={state} />{' '}
          {state !== 'blocked' && <ExpiryBadge expiresIn={props.expiresIn} />}{' '}
          {code.category !== null && (
            <span class="badge">
              <bdi>{code.category}</bdi>
            </span>
          )}
        </p>
      </div>
      {flash && !(wasMadePrivate && state === 'private') && <Notice kind="good">{flash}</Notice>}
      <StateNotice {...props} />
      <div class="code-page">
        <CodeSide {...props} />
        {/* detail.browser.js replaces its content when the first scan arrives. */}
        <div id="code-scans">
          {props.isFirstPage && props.scans.length === 0 ? <NoScansYet {...props} /> : <Scans {...props} />}
        </div>
      </div>
    </Layout>
  );
}

function NoScansYet(props: CodeProps) {
  const { address } = props;
  return (
    <section class="card" id="no-scans">
      <h2>No scans yet</h2>
      {stateOf(props) === 'public' ? (
        <p>
          {isDirectFirst(props.code)
            ? 'The direct code joins the network without contacting this service, so its scans are not counted. To count scans, print the link code, or open '
            : 'Scan the code with your phone, or open '}
          <a href={address}>its share link</a>. The first scan appears here within seconds, with charts of
          times, places and devices.
        </p>
      ) : (
        <p>Scans are counted while the code is public, not blocked, and not expired.</p>
      )}
      <LiveMark {...props} />
    </section>
  );
}

/** Shown by detail.browser.js while it is connected. There is none where scans are not counted. */
function LiveMark(props: CodeProps) {
  if (stateOf(props) !== 'public') return null;
  return (
    <span class="live-mark" hidden title="New scans appear automatically">
      Live
    </span>
  );
}

function Scans(props: CodeProps) {
  const { code, days, analytics } = props;
  return (
    <>
      <section aria-labelledby="analytics">
        <div class="heading">
          <h2 id="analytics">Scans</h2>
          <LiveMark {...props} />
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
          <dl class="totals" id="totals" data-days={days} data-scans={analytics.totalScans}>
            <Total name="Scans" id="total-scans" value={analytics.totalScans} />
            <Total name="Today (UTC)" id="total-today" value={analytics.timeline.at(-1)?.scans ?? 0} />
            <Total name="Countries" id="total-countries" value={analytics.uniqueCountries} />
            <Total name="Cities" id="total-cities" value={analytics.uniqueCities} />
          </dl>
          <div id="chart">
            <Timeline timeline={analytics.timeline} />
          </div>
        </div>
        <div id="rankings" class="columns">
          {analytics.totalScans > 0 && <Rankings {...props} />}
        </div>
        <GeoCredit {...props} />
      </section>
      <LatestScans {...props} />
    </>
  );
}

function GeoCredit({ geoSource, analytics }: CodeProps) {
  if (!geoSource || analytics.totalScans === 0) return null;
  return (
    <p class="hint credit">
      <a href={geoSource.url} rel="noreferrer">
        {geoSource.text}
      </a>
    </p>
  );
}

function Total({ name, value, id }: { name: string; value: number; id: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd id={id}>
        <ShortFigure value={value} />
      </dd>
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
        {analytics.byCountry.some(({ country }) => country !== unknownCountry) && (
          <WorldMap byCountry={analytics.byCountry} />
        )}
      </Ranking>
      <Ranking
        caption={cities.length < analytics.uniqueCities ? `Top ${cities.length} cities` : 'Cities'}
        column="City"
        rows={named(cities, (city) => cityName(city, cities))}
        total={total}
        none="No cities known for these scans."
      />
      {columnNames.map((name) => {
        // These two have names of their own for people.
        if (name === 'country' || name === 'device') return undefined;
        const { singular, plural } = dimensionTitles[name];
        const rows = analytics[rankingName(name)] as (Record<string, string> & { count: number })[];
        return (
          <Ranking
            key={name}
            caption={plural}
            column={singular}
            rows={named(rows, (row) => row[name] ?? '')}
            total={total}
          />
        );
      })}
      <Ranking
        caption="Devices"
        column="Device"
        rows={named(analytics.byDevice, ({ device }) => deviceName(device))}
        total={total}
      />
    </>
  );
}

/** With the region only where another city in the country has the same name, because regions are just codes. */
function cityName({ city, region, country }: CityCount, all: CityCount[]): string {
  const namesakes = all.filter((other) => other.city === city && other.country === country);
  return [city, namesakes.length > 1 && region, countryName(country)].filter(Boolean).join(', ');
}

function LatestScans({ code, days, scans, isFirstPage, olderThan }: CodeProps) {
  return (
    <section class="card" aria-labelledby="latest">
      <div class="heading">
        <h2 id="latest">{isFirstPage ? 'Latest scans' : 'Earlier scans'}</h2>
        <a href={`/codes/${code.id}/scans.csv`}>All scans as CSV</a>
      </div>
      <p class="hint" data-zone>
        Times in UTC
      </p>
      <table class="scans" id="scans">
        <caption class="unseen">Scans, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Place</th>
            {scanColumns.map((name) => (
              <th key={name} scope="col">
                {dimensionTitles[name].singular}
              </th>
            ))}
          </tr>
        </thead>
        <tbody data-live={isFirstPage ? '' : undefined}>
          {scans.map((scan) => (
            <ScanTableRow key={scan.id} scan={scan} />
          ))}
        </tbody>
      </table>
      <div id="scan-pages">
        {(!isFirstPage || olderThan !== undefined) && (
          <p class="row pages">
            {!isFirstPage && <a href={`/codes/${code.id}?days=${days}#latest`}>Newest scans</a>}
            {olderThan !== undefined && (
              <a href={`/codes/${code.id}?days=${days}&before=${olderThan}#latest`}>Earlier scans</a>
            )}
          </p>
        )}
      </div>
    </section>
  );
}
