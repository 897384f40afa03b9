import type { StyleApplication } from '../../../codes/styles/style-applications.ts';
import type { Style } from '../../../codes/styles/styles.ts';
import { withFieldsInWords } from '../../ui/field-words.ts';
import { figure } from '../../ui/figure.ts';
import { Layout, type Visitor } from '../../ui/layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { appliedText, refusedText } from './outcome-text.ts';

interface ApplicationProps {
  visitor: Visitor;
  application: StyleApplication;
  style: Style;
  refused: { id: string; name: string; reason: string }[];
}

/** How far a style is applied. application.browser.js keeps the part with the id up to date. */
export function ApplicationView({ visitor, application, style, refused }: ApplicationProps) {
  const { total, waiting } = application;
  return (
    <Layout title="Apply a style" visitor={visitor} at="/codes" styles={['codes']}>
      <a class="back" href="/codes/styles">
        ← All styles
      </a>
      <h1>
        Applying <bdi>{style.name}</bdi>
      </h1>
      <div id="application" data-waiting={waiting}>
        {waiting > 0 ? (
          <section class="card">
            <label for="application-progress">
              {figure(total - waiting)} of {figure(total)} codes are done
            </label>
            <progress id="application-progress" max={total} value={total - waiting} />
            <p class="hint">You can leave this page. Without scripts, reload it to see how far it is.</p>
          </section>
        ) : (
          <Outcome application={application} />
        )}
        {refused.length > 0 && <Refused refused={refused} />}
      </div>
      <p class="after">
        <a href="/codes">All QR codes</a>
      </p>
      <script type="module" src={`${visitor.assets}/codes/styles/application.browser.js`} />
    </Layout>
  );
}

function Outcome({ application: { applied, refused } }: { application: StyleApplication }) {
  const given = `Done: ${appliedText({ applied })}`;
  if (refused.length === 0) return <Notice kind="good">{given}.</Notice>;
  return (
    <Notice kind={applied > 0 ? 'good' : 'bad'}>
      {given}, {refusedText({ refused: refused.length })}.
    </Notice>
  );
}

function Refused({ refused }: Pick<ApplicationProps, 'refused'>) {
  return (
    <section class="card" id="refused">
      <h2>These stay as they were</h2>
      <ul class="refused">
        {refused.map(({ id, name, reason }) => (
          <li key={id}>
            <a href={`/codes/${id}/design`}>
              <bdi>{name}</bdi>
            </a>
            : {withFieldsInWords(reason)}
          </li>
        ))}
      </ul>
    </section>
  );
}
