import type { OpenSession } from '../../accounts/sessions.ts';
import { Moment } from '../ui/moment.tsx';

export function SessionTable({ sessions }: { sessions: OpenSession[] }) {
  return (
    <table class="keys">
      <caption class="unseen">Where you are signed in</caption>
      <thead>
        <tr>
          <th scope="col">Browser</th>
          <th scope="col">Signed in</th>
          <th scope="col">Last used</th>
        </tr>
      </thead>
      <tbody>
        {sessions.map(({ device, createdAt, seenAt, isCurrent }) => (
          <tr key={`${createdAt.toISOString()} ${seenAt.toISOString()}`}>
            <th scope="row">
              <span>
                <bdi>{device ?? 'Unknown browser'}</bdi>
                {isCurrent && ' (this one)'}
              </span>
            </th>
            <td data-label="Signed in">
              <Moment at={createdAt} />
            </td>
            <td data-label="Last used">
              <Moment at={seenAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
