import type { QrCode } from '../../../codes/qr-code.ts';
import type { StyleApplication } from '../../../codes/styles/style-applications.ts';
import type { Style } from '../../../codes/styles/styles.ts';
import { figure, withFieldsInWords } from '../../ui/words.tsx';
import { Form, Notice, Page } from '../../ui/layout.tsx';
import { Chosen, Missing, NothingSelected } from '../print/selection-view.tsx';
import { StyleImage, appliedText, refusedText } from './styles-view.tsx';
import type { FormState } from '../../ui/controls.tsx';
import { useVisitor } from '../../ui/visitor.ts';
import { SaveButton } from '../save-button.tsx';

interface ApplyProps {
  codes: QrCode[];
  styles: Style[];
  form: FormState;
  /** How many of the selected codes were deleted meanwhile. */
  missing: number;
}

/** Chooses the style for codes that were selected in the list. */
export function ApplyView({ codes, styles, form, missing }: ApplyProps) {
  return (
    <Page
      title="Apply a template"
      at="/codes"
      styles={['codes']}
      back={['/codes', 'All QR codes']}
      form={form}
    >
      {codes.length === 0 ? (
        <NothingSelected />
      ) : styles.length === 0 ? (
        <section class="card">
          <h2>No templates yet</h2>
          <p>
            <a href="/codes/styles/new">Make a template</a>, or open the design of{' '}
            <a href={`/codes/${codes[0]?.id}/design`}>one of these codes</a> and save it as one.
          </p>
        </section>
      ) : (
        <>
          <Missing count={missing} />
          <Chosen codes={codes} />
          <StyleChoice codes={codes} styles={styles} chosen={form.values['styleId'] || onlyStyle(styles)} />
        </>
      )}
    </Page>
  );
}

/** The id of the style where there is no choice. */
function onlyStyle([first, ...others]: Style[]): string {
  return first && others.length === 0 ? first.id : '';
}

interface StyleChoiceProps {
  codes: QrCode[];
  styles: Style[];
  /** The id of a style. */
  chosen: string;
}

function StyleChoice({ codes, styles, chosen }: StyleChoiceProps) {
  return (
    <Form action="/codes/styles/apply" class="card form">
      <input type="hidden" name="codeIds" value={codes.map(({ id }) => id).join(',')} />
      <fieldset class="field choices">
        <legend>Template</legend>
        <div class="tiles style-choice">
          {styles.map((style) => (
            <label key={style.id}>
              <input type="radio" name="styleId" value={style.id} required checked={style.id === chosen} />
              <StyleImage style={style} width={112} />
              <bdi>{style.name}</bdi>
            </label>
          ))}
        </div>
        <p class="hint">
          Replaces the design of these codes, and their colors if the template sets them. Every code is
          test-scanned first. Codes that cannot be read keep their design, and you see why.
        </p>
      </fieldset>
      <SaveButton>Apply</SaveButton>
    </Form>
  );
}

interface ApplicationProps {
  application: StyleApplication;
  style: Style;
  refused: { id: string; name: string; reason: string }[];
}

/** How far a style is applied. application.browser.js keeps the part with the id up to date. */
export function ApplicationView({ application, style, refused }: ApplicationProps) {
  const { total, waiting } = application;
  const { assets } = useVisitor();
  return (
    <Page
      title="Apply a template"
      at="/codes"
      styles={['codes']}
      back={['/codes/styles', 'All templates']}
      heading={
        <h1>
          Applying <bdi>{style.name}</bdi>
        </h1>
      }
    >
      <div id="application" data-waiting={waiting}>
        {waiting > 0 ? (
          <section class="card">
            <label for="application-progress">
              {figure(total - waiting)} of {figure(total)} codes are done
            </label>
            <progress id="application-progress" max={total} value={total - waiting} />
            <p class="hint">You can leave this page.</p>
            <noscript>
              <p class="hint">Reload this page to see how far it is.</p>
            </noscript>
          </section>
        ) : (
          <Outcome application={application} />
        )}
        {refused.length > 0 && <Refused refused={refused} />}
      </div>
      <p class="after">
        <a href="/codes">All QR codes</a>
      </p>
      <script type="module" src={`${assets}/codes/styles/application.browser.js`} />
    </Page>
  );
}

function Outcome({ application: { applied, refused } }: { application: StyleApplication }) {
  const given = `Done: ${appliedText(applied)}`;
  if (refused.length === 0) return <Notice kind="good">{given}.</Notice>;
  return (
    <Notice kind={applied > 0 ? 'good' : 'bad'}>
      {given}, {refusedText(refused.length)}.
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
