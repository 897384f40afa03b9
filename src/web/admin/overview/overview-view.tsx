import { formatBytes } from '../../../doctor/format.ts';
import type { QueueDepth } from '../../../queue/queue-depth.ts';
import type { Activity, ReportedProcess } from '../../../store/process-reports.ts';
import { BarChart, rateAxisTop } from '../../ui/bar-chart.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Table } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { figure } from '../../ui/words.tsx';
import { AdminLayout } from '../admin-layout.tsx';
import { QueueTable } from '../queues/queues-view.tsx';
import { type Finding, isMissing } from './findings.ts';

interface OverviewProps {
  processes: ReportedProcess[];
  activity: Activity;
  /** Undefined: the queues do not respond. */
  queues: QueueDepth[] | undefined;
  findings: Finding[];
  now: Date;
}

export function OverviewView(props: OverviewProps) {
  const { processes, activity, queues, findings, now } = props;
  const { assets } = useVisitor();
  return (
    <AdminLayout
      title="Overview"
      at="/admin"
      heading={
        <div class="heading">
          <h1>Overview</h1>
          <div class="row refresh">
            <a class="button quiet" href="/admin">
              Refresh
            </a>
            <button type="button" class="quiet" id="live" aria-pressed="false" hidden>
              Refresh every 10 s
            </button>
          </div>
        </div>
      }
    >
      <script type="module" src={`${assets}/admin/overview/overview.browser.js`} />
      <div id="overview">
        <p class="quiet">
          As of <Moment at={now} />. Processes report every 10 seconds.
        </p>
        <Findings findings={findings} />
        <Figures {...props} />
        <Charts activity={activity} />
        <section class="card">
          <h2>Queues</h2>
          {queues ? <QueueTable queues={queues} /> : <p>The queue does not respond.</p>}
          <p class="after">
            <a class="button quiet small" href="/admin/queues">
              Failed jobs and retries
            </a>
          </p>
        </section>
        <section class="card">
          <h2>Processes</h2>
          <ProcessTable processes={processes} now={now} />
        </section>
        <section class="card">
          <h2>Recent warnings and errors</h2>
          <ErrorTable processes={processes} />
        </section>
      </div>
    </AdminLayout>
  );
}

function Findings({ findings }: { findings: Finding[] }) {
  if (findings.length === 0)
    return (
      <div class="notice good">
        <p>Nothing needs your attention.</p>
      </div>
    );
  return (
    <div class="notice bad">
      <ul class="findings">
        {findings.map(({ text, link }) => (
          <li key={text}>
            <Icon name="triangle-alert" />
            <span>
              {text} {link && <a href={link.path}>{link.name}</a>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Figures({ processes, activity: { perSecond }, queues }: OverviewProps) {
  const of = (name: string) => perSecond.get(name) ?? 0;
  const running = processes.filter(({ status }) => status === 'running');
  const spooled = running.reduce((sum, { state }) => sum + (state.spool?.bytes ?? 0), 0);
  const lags = running.flatMap(({ state }) => (state.replicas ?? []).map(({ lagMs }) => lagMs));
  const waiting = queues?.reduce((sum, { jobs }) => sum + jobs.waiting + jobs.delayed, 0);
  const recorded = of('recorded');
  const figures: [name: string, value: string, note: string][] = [
    ['Redirects', rate(of('redirects')), 'per second'],
    ['Scans recorded', rate(recorded), 'per second'],
    ['API requests', rate(of('apiRequests')), 'per second'],
    ['Errors', rate(of('errors') * 60), 'per minute'],
    [
      'Recording lag',
      recorded > 0 ? seconds(of('lagMs') / recorded) : '–',
      recorded > 0 ? `at most ${seconds(of('longestLagMs'))}` : 'nothing recorded',
    ],
    ['Waiting jobs', waiting === undefined ? '–' : rate(waiting), 'in all queues'],
    ['Spool', formatBytes(spooled), 'in all web processes'],
    ['Replica lag', lags.length > 0 ? seconds(Math.max(...lags)) : '–', replicaNote(lags.length)],
  ];
  return (
    <dl class="card totals" aria-label="In the last minute">
      {figures.map(([name, value, note]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd class="note">{note}</dd>
        </div>
      ))}
    </dl>
  );
}

function replicaNote(replicas: number): string {
  return replicas === 0 ? 'no replicas' : 'the furthest behind';
}

function seconds(ms: number): string {
  return `${rate(ms / 1_000)} s`;
}

function Charts({ activity: { minutes, perMinute } }: { activity: Activity }) {
  const none = minutes.map(() => 0);
  const of = (name: string) => perMinute.get(name) ?? none;
  const perSecond = (name: string) => of(name).map((value) => value / 60);
  const charts = [
    { title: 'Redirects', unit: ' per second', values: perSecond('redirects') },
    { title: 'Scans recorded', unit: ' per second', values: perSecond('recorded') },
    { title: 'API requests', unit: ' per second', values: perSecond('apiRequests') },
    { title: 'Errors', unit: ' per minute', values: of('errors') },
    { title: 'Longest recording lag', unit: ' seconds', values: of('longestLagMs').map((ms) => ms / 1_000) },
    { title: 'Scans to the spool', unit: ' per second', values: perSecond('spooled') },
  ];
  return (
    <section aria-label="The last hour, by minute">
      <h2>The last hour</h2>
      <div class="rates">
        {charts.filter(hasValues).map((chart) => (
          <RateChart key={chart.title} minutes={minutes} {...chart} />
        ))}
      </div>
      <QuietRates titles={charts.filter((chart) => !hasValues(chart)).map(({ title }) => title)} />
    </section>
  );
}

function hasValues({ values }: { values: number[] }): boolean {
  return values.some((value) => value > 0);
}

/** Instead of charts without bars. */
function QuietRates({ titles }: { titles: string[] }) {
  if (titles.length === 0) return null;
  return <p class="card quiet-rates">No activity in the last hour: {titles.join(', ')}.</p>;
}

const badges = { running: 'badge good', silent: 'badge bad', stopped: 'badge' } as const;

/** Processes that have ended stay for a day, because their last errors may say why. */
function ProcessTable({ processes, now }: { processes: ReportedProcess[]; now: Date }) {
  if (processes.length === 0) return <p>No process has reported yet.</p>;
  const isCurrent = (process: ReportedProcess) =>
    process.status === 'running' || isMissing(process, processes, now);
  const current = processes.filter(isCurrent);
  const ended = processes.filter((process) => !isCurrent(process));
  return (
    <>
      <ProcessRows caption="Web and worker processes" processes={current} />
      {ended.length > 0 && (
        <details>
          <summary>{ended.length} ended in the last day</summary>
          <ProcessRows caption="Processes that ended in the last day" processes={ended} />
        </details>
      )}
    </>
  );
}

interface ProcessRowsProps {
  caption: string;
  processes: ReportedProcess[];
}

function ProcessRows({ caption, processes }: ProcessRowsProps) {
  return (
    <Table
      class="stacked"
      caption={caption}
      rows={processes}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Process',
          cell: ({ kind, host, pid }) => (
            <>
              {kind} <bdi>{host}</bdi> {pid}
            </>
          ),
        },
        {
          name: 'State',
          cell: ({ status }) => (
            <span class={badges[status]}>{status === 'silent' ? 'not reporting' : status}</span>
          ),
        },
        { name: 'Version', cell: ({ version }) => version },
        { name: 'Started', cell: ({ startedAt }) => <Moment at={startedAt} /> },
        { name: 'Last report', cell: ({ reportedAt }) => <Moment at={reportedAt} /> },
        { name: 'Memory', isNumber: true, cell: ({ state }) => formatBytes(state.memoryBytes) },
        {
          name: 'Spool',
          isNumber: true,
          cell: ({ state }) => (state.spool ? formatBytes(state.spool.bytes) : '–'),
        },
      ]}
    />
  );
}

const maxShown = 50;

/** Warnings and errors in the logs of all processes, the latest first. */
function ErrorTable({ processes }: { processes: ReportedProcess[] }) {
  const errors = processes
    .flatMap(({ id, kind, host, pid, errors: logged }) =>
      logged.map((one, index) => ({ key: `${id} ${index}`, process: `${kind} ${host} ${pid}`, ...one })),
    )
    .toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : -1))
    .slice(0, maxShown);
  if (errors.length === 0) return <p>None of these processes has logged a warning or an error.</p>;
  return (
    <Table
      class="stacked"
      caption="Warnings and errors in the logs, the latest first"
      rows={errors}
      keyOf={({ key }) => key}
      columns={[
        {
          name: 'Message',
          class: 'message',
          cell: ({ message, cause }) => (
            <>
              <bdi>{message}</bdi>
              {cause && (
                <>
                  {' '}
                  <bdi class="quiet cause">{cause}</bdi>
                </>
              )}
            </>
          ),
        },
        {
          name: 'Level',
          cell: ({ level }) => <span class={level === 'error' ? 'badge bad' : 'badge'}>{level}</span>,
        },
        { name: 'Times', isNumber: true, cell: ({ times }) => figure(times) },
        { name: 'Last', cell: ({ lastAt }) => <Moment at={lastAt} /> },
        { name: 'Process', cell: ({ process }) => <bdi>{process}</bdi> },
      ]}
    />
  );
}

interface RateChartProps {
  title: string;
  /** After each value: " per second", " s". */
  unit: string;
  minutes: Date[];
  /** One for each minute. */
  values: number[];
}

/** A value for each minute of the last hour. */
function RateChart({ title, unit, minutes, values }: RateChartProps) {
  const most = Math.max(0, ...values);
  const top = rateAxisTop(most);
  const [first, last] = [minutes[0], minutes.at(-1)];
  const at = minutes[values.indexOf(most)];
  // Times in words, which no script moves to the zone of the browser, would differ from those of the page.
  const end = last?.getTime() ?? 0;
  const time = (minute: Date | undefined) => minutesBefore(end, minute);
  const words =
    most === 0
      ? `${title}: none from ${time(first)} to ${time(last)}.`
      : `${title} from ${time(first)} to ${time(last)}: at most ${rate(most)}${unit}, at ${time(at)}; last ${rate(values.at(-1) ?? 0)}${unit}.`;
  return (
    <figure class="card rate">
      <figcaption>
        {title}
        <span class="quiet">, {unit.trim()}</span>
      </figcaption>
      <BarChart
        bars={values.map((value, index) => ({
          key: String(index),
          value: Math.round(value * 1_000) / 1_000,
          title: `${time(minutes[index])}: ${rate(value)}${unit}`,
        }))}
        top={top}
        label={words}
        format={rate}
        ends={[time(first), time(last)]}
      />
    </figure>
  );
}

/** "now", "1 minute ago", "12 minutes ago" */
function minutesBefore(end: number, minute: Date | undefined): string {
  const minutes = minute ? Math.round((end - minute.getTime()) / 60_000) : 0;
  if (minutes === 0) return 'now';
  return minutes === 1 ? '1 minute ago' : `${minutes} minutes ago`;
}

const short = Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const whole = Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** "0.25", "3.5", "1,234" */
function rate(value: number): string {
  return value >= 100 ? whole.format(value) : short.format(value);
}
