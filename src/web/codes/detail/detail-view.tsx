import type { ComponentChildren } from 'preact';
import { columnNames, dimensionTitles, rankingName } from '../../../scans/dimensions.ts';
import { unknownCountry } from '../../../scans/scan.ts';
import type { CityCount } from '../../../scans/analytics.ts';
import { CodeActions, type CodeProps, CodeSide, StateNotice } from './code-side.tsx';
import { ExpiryBadge, StateBadge, stateOf } from '../code-state.tsx';
import { type FormState, Input } from '../../ui/controls.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Back, Layout, Notice, UndoForm } from '../../ui/layout.tsx';
import { ZoneNote } from '../../ui/time.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { ShortFigure, figure } from '../../ui/words.tsx';
import { Star } from '../code-actions.tsx';
import { TypeIcon, shownTypeOf, typeName } from '../shown-type.tsx';
import { isDirectFirst } from '../downloads.tsx';
import type { Period } from './period.ts';
import { Ranking, Timeline } from './charts.tsx';
import { WorldMap } from './world-map.tsx';
import { ScanTableRow, countryName, deviceName, scanColumns } from './scan-line.tsx';

export function CodeView(props: CodeProps) {
  const { code, wasMadePrivate } = props;
  const { assets, flash } = useVisitor();
  const state = stateOf(props);
  return (
    <Layout title={code.name} at="/codes" styles={['codes']}>
      <script type="module" src={`${assets}/codes/detail/detail.browser.js`} />
      <Back href="/codes">All QR codes</Back>
      <div class="code-title">
        <div class="name">
          <h1>
            <bdi>{code.name}</bdi>
          </h1>
          <Star code={code} back={props.here} />
        </div>
        <CodeActions code={code} here={props.here} state={state} />
        <p class="badges">
          <span class="badge">
            <TypeIcon type={shownTypeOf(code)} />
            {typeName(shownTypeOf(code))}
          </span>{' '}
          <StateBadge state={state} /> {state !== 'blocked' && <ExpiryBadge expiresIn={props.expiresIn} />}{' '}
          {code.category !== null && (
            <span class="badge">
              <bdi>{code.category}</bdi>
            </span>
          )}
        </p>
      </div>
      {flash && !(wasMadePrivate && state === 'private') && (
        <Notice kind="good" isToast>
          {flash}
          <UndoForm />
        </Notice>
      )}
      <StateNotice {...props} />
      <div class="code-page">
        <div class="code-column">
          <CodeSide {...props} />
        </div>
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
    <section class="card empty" id="no-scans">
      <NoScansPicture />
      <h2>No scans yet</h2>
      {stateOf(props) === 'public' ? (
        <p>
          {isDirectFirst(props.code)
            ? 'The static code joins the network without contacting this service, so its scans are not counted. To count scans, print the dynamic code, or open '
            : 'Scan the code with your phone, or open '}
          <a href={address}>its share link</a>. The first scan appears here within seconds, with charts of
          times, places and devices.
        </p>
      ) : (
        <p>Scans are counted while the code is public, not blocked, and not expired.</p>
      )}
      {stateOf(props) === 'public' && (
        <p class="row">
          <a class="button quiet" href={address}>
            <Icon name="external-link" />
            Open the share link
          </a>
          <a class="button quiet" href={`/codes/${props.code.id}/print`}>
            <Icon name="printer" />
            Print it
          </a>
        </p>
      )}
      <LiveMark {...props} />
    </section>
  );
}

/** A placeholder until there are scans. */
function NoScansPicture() {
  return (
    <svg class="ghost-chart" viewBox="0 0 240 80" aria-hidden="true">
      <path class="lines" d="M0 2h240M0 40h240M0 79h240" />
      {[18, 30, 24, 44, 36, 58, 48, 66, 40, 54, 72, 62].map((height, index) => (
        <rect key={index} x={4 + index * 20} y={79 - height} width="12" height={height} rx="2" />
      ))}
    </svg>
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
  const { period, analytics } = props;
  const { timeline } = analytics;
  return (
    <>
      <section aria-labelledby="analytics">
        <div class="heading">
          <h2 id="analytics">Scans</h2>
          <LiveMark {...props} />
          <Periods {...props} />
        </div>
        <div class="card">
          <dl class="totals" id="totals" data-days={period.days} data-scans={analytics.totalScans}>
            <Total name="Scans" id="total-scans" value={analytics.totalScans}>
              <Change {...props} />
            </Total>
            {period.endsToday ? (
              <Total name="Today (UTC)" id="total-today" value={timeline.at(-1)?.scans ?? 0} />
            ) : (
              <Total
                name="Best day"
                id="total-best"
                value={Math.max(...timeline.map(({ scans }) => scans))}
              />
            )}
            <Total name="Countries" id="total-countries" value={analytics.uniqueCountries} />
            <Total name="Cities" id="total-cities" value={analytics.uniqueCities} />
          </dl>
          <div id="chart">
            <Timeline timeline={timeline} endsToday={period.endsToday} changed={props.changedDays} />
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

/** The last days are beside the heading; the menu has the others, and two days to choose. */
function Periods({ code, period, rolling, named }: CodeProps) {
  const isOther = period.days === undefined;
  const [from = '', to = ''] = [period.dates[0], period.dates.at(-1)];
  const form: FormState = { values: { from, to }, errors: [] };
  const link = ({ query, name }: Period) => (
    <a
      key={query}
      href={`/codes/${code.id}?${query}`}
      aria-current={query === period.query ? 'page' : undefined}
    >
      {name}
    </a>
  );
  return (
    <div class="periods">
      <nav aria-label="Period" class="segments">
        {rolling.map(link)}
      </nav>
      <details class="menu">
        <summary class={isOther ? 'quiet chosen' : 'quiet'}>
          <Icon name="calendar-range" />
          <span>{isOther ? period.name : 'Custom'}</span>
        </summary>
        <div>
          <nav aria-label="More periods">{named.map(link)}</nav>
          <form action={`/codes/${code.id}`} class="own-period">
            <Input form={form} name="from" label="From (UTC)" type="date" required />
            <Input form={form} name="to" label="To (UTC)" type="date" required />
            <button type="submit" class="quiet">
              Show
            </button>
          </form>
        </div>
      </details>
    </div>
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

interface TotalProps {
  name: string;
  value: number;
  id: string;
  children?: ComponentChildren;
}

function Total({ name, value, id, children }: TotalProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd id={id}>
        <ShortFigure value={value} />
      </dd>
      {children}
    </div>
  );
}

/** Compared with the preceding period. */
function Change({ analytics: { totalScans }, previousScans, period: { days } }: CodeProps) {
  if (!previousScans) return null;
  const percent = Math.round((totalScans / previousScans - 1) * 100);
  const isMore = percent > 0;
  return (
    <dd class={isMore ? 'change more' : 'change'} id="total-change">
      {percent === 0 ? 'as many' : `${isMore ? '▲' : '▼'} ${figure(Math.abs(percent))}%`}
      {percent !== 0 && <span class="unseen">{isMore ? ' more' : ' less'}</span>}
      <span class="base"> vs. previous {days} days</span>
    </dd>
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
        rows={cities.map((city) => ({
          name: city.city,
          addition: cityAddition(city, cities),
          count: city.count,
        }))}
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
function cityAddition({ city, region, country }: CityCount, all: CityCount[]): string {
  const namesakes = all.filter((other) => other.city === city && other.country === country);
  return ['', ...(namesakes.length > 1 && region ? [region] : []), countryName(country)].join(', ');
}

function LatestScans({ code, period, scans, isFirstPage, olderThan }: CodeProps) {
  return (
    <section class="card latest" aria-labelledby="latest">
      <div class="heading">
        <h2 id="latest">{isFirstPage ? 'Latest scans' : 'Earlier scans'}</h2>
        <a class="button quiet small" href={`/codes/${code.id}/scans.csv`}>
          <Icon name="download" />
          All scans as CSV
        </a>
      </div>
      <ZoneNote />
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
            {!isFirstPage && <a href={`/codes/${code.id}?${period.query}#latest`}>Newest scans</a>}
            {olderThan !== undefined && (
              <a href={`/codes/${code.id}?${period.query}&before=${olderThan}#latest`}>Earlier scans</a>
            )}
          </p>
        )}
      </div>
    </section>
  );
}
