import { formatBytes } from '../../../doctor/format.ts';
import type { QueueDepth } from '../../../queue/queue-depth.ts';
import type { Activity, ReportedProcess } from '../../../store/process-reports.ts';
import type { Visitor } from '../../ui/layout.tsx';
import { Moment } from '../../ui/moment.tsx';
import { AdminLayout } from '../admin-layout.tsx';
import { QueueTable } from '../queues/queue-table.tsx';
import { ErrorTable } from './error-table.tsx';
import type { Problem } from './problems.ts';
import { ProcessTable } from './process-table.tsx';
import { rate, RateChart } from './rate-chart.tsx';

interface OverviewProps {
  visitor: Visitor;
  processes: ReportedProcess[];
  activity: Activity;
  /** Undefined: the queues do not respond. */
  queues: QueueDepth[] | undefined;
  problems: Problem[];
  now: Date;
}

export function OverviewView(props: OverviewProps) {
  const { visitor, processes, activity, queues, problems, now } = props;
  return (
    <AdminLayout
      visitor={visitor}
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
      <script type="module" src={`${visitor.assets}/admin/overview/overview.browser.js`} />
      <div id="overview">
        <p class="quiet">
          As of <Moment at={now} />. Processes report every 10 seconds.
        </p>
        <Problems problems={problems} />
        <Figures {...props} />
        <Charts activity={activity} />
        <section class="card">
          <h2>Queues</h2>
          {queues ? <QueueTable queues={queues} /> : <p>The queue does not respond.</p>}
          <p class="after">
            <a href="/admin/queues">Failed jobs and retries</a>
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

function Problems({ problems }: { problems: Problem[] }) {
  if (problems.length === 0)
    return (
      <div class="notice good">
        <p>No problems found.</p>
      </div>
    );
  return (
    <div class="notice bad">
      <ul class="problems">
        {problems.map(({ text, link }) => (
          <li key={text}>
            {text} {link && <a href={link.path}>{link.name}</a>}
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
        {charts.map((chart) => (
          <RateChart key={chart.title} minutes={minutes} {...chart} />
        ))}
      </div>
    </section>
  );
}
