import type { OpenSession } from '../../accounts/sessions.ts';
import { Form } from '../ui/layout.tsx';
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
          <th scope="col">
            <span class="unseen">Sign out</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sessions.map(({ id, device, createdAt, seenAt, isCurrent }) => (
          <tr key={id}>
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
            <td>
              {!isCurrent && (
                <Form action="/account/security/sessions/end">
                  <input type="hidden" name="session" value={id} />
                  <button
                    type="submit"
                    class="button small quiet"
                    aria-label={`Sign out ${device ?? 'unknown browser'}`}
                  >
                    Sign out
                  </button>
                </Form>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
