import type { ReportedProcess } from '../../../store/process-reports.ts';
import { figure } from '../../ui/figure.ts';
import { Moment } from '../../ui/moment.tsx';

const maxShown = 50;

/** What each process logged as a warning or an error, the latest first. */
export function ErrorTable({ processes }: { processes: ReportedProcess[] }) {
  const errors = processes
    .flatMap(({ id, kind, host, pid, errors: logged }) =>
      logged.map((one, index) => ({ key: `${id} ${index}`, process: `${kind} ${host} ${pid}`, ...one })),
    )
    .toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : -1))
    .slice(0, maxShown);
  if (errors.length === 0) return <p>None of these processes has logged a warning or an error.</p>;
  return (
    <table class="stacked">
      <caption class="unseen">Warnings and errors in the logs, the latest first</caption>
      <thead>
        <tr>
          <th scope="col">Message</th>
          <th scope="col">Level</th>
          <th scope="col" class="number">
            Times
          </th>
          <th scope="col">Last</th>
          <th scope="col">Process</th>
        </tr>
      </thead>
      <tbody>
        {errors.map(({ key, message, cause, level, times, lastAt, process }) => (
          <tr key={key}>
            <th scope="row" class="message">
              <bdi>{message}</bdi>
              {cause && (
                <>
                  {' '}
                  <bdi class="quiet cause">{cause}</bdi>
                </>
              )}
            </th>
            <td data-label="Level">
              <span class={level === 'error' ? 'badge bad' : 'badge'}>{level}</span>
            </td>
            <td data-label="Times" class="number">
              {figure(times)}
            </td>
            <td data-label="Last">
              <Moment at={lastAt} />
            </td>
            <td data-label="Process">
              <bdi>{process}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
