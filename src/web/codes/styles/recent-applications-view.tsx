import type { RecentApplication } from '../../../codes/styles/style-applications.ts';
import { Moment } from '../../ui/moment.tsx';
import { appliedText, refusedText, waitingText } from './outcome-text.ts';

/** What became of the styles that were applied. */
export function RecentApplications({ applications }: { applications: RecentApplication[] }) {
  if (applications.length === 0) return null;
  return (
    <section class="card">
      <h2>Applied in the last seven days</h2>
      <ul class="applications">
        {applications.map((application) => (
          <Application key={application.id} application={application} />
        ))}
      </ul>
    </section>
  );
}

function Application({ application }: { application: RecentApplication }) {
  const { id, styleName, createdAt, isForNewCodes, waiting, applied, refused } = application;
  const path = `/codes/styles/applications/${id}`;
  const isEmpty = waiting + applied + refused === 0;
  return (
    <li>
      <div>
        <span>
          <a href={path}>
            <bdi>{styleName}</bdi>
          </a>
          {isForNewCodes && ' for new codes'}
        </span>
        <span class="hint">
          <Moment at={createdAt} />
        </span>
      </div>
      <div>
        {isEmpty && 'Its codes were deleted.'}
        {applied > 0 && <span>{appliedText({ applied })}</span>}
        {refused > 0 && (
          <a href={`${path}#refused`} aria-label={`${refusedText({ refused })}: see why, ${styleName}`}>
            {refusedText({ refused })}: see why
          </a>
        )}
        {waiting > 0 && <span>{waitingText({ waiting })}</span>}
      </div>
    </li>
  );
}
