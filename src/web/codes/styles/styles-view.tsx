import type { RecentApplication } from '../../../codes/styles/style-applications.ts';
import { type Style, maxStyles } from '../../../codes/styles/styles.ts';
import { type FormState, Input } from '../../ui/controls.tsx';
import { Confirmation, Form, Page } from '../../ui/layout.tsx';
import { figure } from '../../ui/words.tsx';
import { Moment } from '../../ui/time.tsx';

interface StylesProps {
  styles: Style[];
  /** The id of an application that is not done. */
  running?: string | undefined;
  applications: RecentApplication[];
}

const pathOf = ({ id }: Style) => `/codes/styles/${id}`;

export function StylesView({ styles, running, applications }: StylesProps) {
  return (
    <Page title="Styles" at="/codes" styles={['codes']} back={['/codes', '← All QR codes']}>
      {running && (
        <p>
          A style is being applied: <a href={`/codes/styles/applications/${running}`}>see how far it is</a>
        </p>
      )}
      {styles.length === 0 ? (
        <section class="card">
          <h2>No styles yet</h2>
          <p>
            A style is a design with a name: use it for many codes, or for all new ones. Open the design of{' '}
            <a href="/codes">one of your codes</a>, and save it as a style there.
          </p>
        </section>
      ) : (
        <>
          <p class="hint">
            To add a style, save the design of a code as one. An account can have {maxStyles}. To apply a
            style, select codes in <a href="/codes">the list</a>.
          </p>
          <ul class="styles">
            {styles.map((style) => (
              <StyleItem key={style.id} style={style} />
            ))}
          </ul>
        </>
      )}
      <RecentApplications applications={applications} />
    </Page>
  );
}

export function StyleImage({ style, width = 120 }: { style: Style; width?: number }) {
  // Decorative: its name is beside it. The address changes with the style.
  const version = style.updatedAt.getTime();
  return <img src={`${pathOf(style)}/picture.svg?v=${version}`} width={width} alt="" loading="lazy" />;
}

function StyleItem({ style }: { style: Style }) {
  return (
    <li class="card">
      <StyleImage style={style} />
      <div>
        <h2>
          <a href={pathOf(style)}>
            <bdi>{style.name}</bdi>
          </a>
        </h2>
        {style.isDefault && <span class="badge good">Default</span>}
      </div>
      <div class="row">
        <a class="button small quiet" href={`${pathOf(style)}/design`} aria-label={`Edit ${style.name}`}>
          Edit
        </a>
        <DefaultForm style={style} />
        <a
          class="button small quiet danger"
          href={`${pathOf(style)}/delete`}
          aria-label={`Delete ${style.name}`}
        >
          Delete
        </a>
      </div>
    </li>
  );
}

function DefaultForm({ style }: { style: Style }) {
  const text = style.isDefault ? 'No longer the default' : 'Make it the default';
  return (
    <Form action={`${pathOf(style)}/default`}>
      <input type="hidden" name="isDefault" value={String(!style.isDefault)} />
      <button type="submit" class="button small quiet" aria-label={`${text}: ${style.name}`}>
        {text}
      </button>
    </Form>
  );
}

export function StyleView({ style, form }: { style: Style; form: FormState }) {
  return (
    <Page
      title="Style"
      at="/codes"
      styles={['codes']}
      back={['/codes/styles', '← All styles']}
      heading={
        <h1>
          Style <bdi>{style.name}</bdi>
        </h1>
      }
      form={form}
    >
      <section class="card one-style">
        <StyleImage style={style} width={200} />
        <div>
          <Form action={`${pathOf(style)}/rename`}>
            <Input form={form} name="name" label="Name" required maxLength={maxStyleNameLength} />
            <button type="submit">Rename</button>
          </Form>
          <p>
            {style.isDefault
              ? 'New codes get this style, where phones can read them in it.'
              : 'New codes do not get this style by themselves.'}
          </p>
          <div class="row">
            <a class="button small quiet" href={`${pathOf(style)}/design`}>
              Edit the design
            </a>
            <DefaultForm style={style} />
            <a class="button small quiet danger" href={`${pathOf(style)}/delete`}>
              Delete
            </a>
          </div>
          <p class="hint">
            To apply it, select codes in <a href="/codes">the list</a>, then choose Apply a style.
          </p>
        </div>
      </section>
    </Page>
  );
}

export function DeleteStyleView({ style }: { style: Style }) {
  return (
    <Confirmation
      title="Delete style"
      at="/codes"
      action={`${pathOf(style)}/delete`}
      button="Delete"
      keep="/codes/styles"
    >
      Delete{' '}
      <strong>
        <bdi>{style.name}</bdi>
      </strong>
      ? Codes that have it keep their design. {style.isDefault && 'New codes are plain from then on. '}This
      cannot be undone.
    </Confirmation>
  );
}

/** The outcomes of recent applications. */
function RecentApplications({ applications }: { applications: RecentApplication[] }) {
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
        {applied > 0 && <span>{appliedText(applied)}</span>}
        {refused > 0 && (
          <a href={`${path}#refused`} aria-label={`${refusedText(refused)}: see why, ${styleName}`}>
            {refusedText(refused)}: see why
          </a>
        )}
        {waiting > 0 && <span>{waitingText(waiting)}</span>}
      </div>
    </li>
  );
}

const codes = (count: number) => `${figure(count)} ${count === 1 ? 'code' : 'codes'}`;

/** "1 code has the style" */
export function appliedText(applied: number): string {
  return `${codes(applied)} ${applied === 1 ? 'has' : 'have'} the style`;
}

/** "2 codes stay as they were" */
export function refusedText(refused: number): string {
  return `${codes(refused)} ${refused === 1 ? 'stays as it was' : 'stay as they were'}`;
}

/** "3 codes wait" */
function waitingText(waiting: number): string {
  return `${codes(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`;
}

export const maxStyleNameLength = 100;

/** Messages after an action on a style. */
export const stylesFlashTexts = {
  created: 'Style saved.',
  designed: 'Style saved. Codes that have it keep their design until you apply it again.',
  renamed: 'The style was renamed.',
  isDefault: 'New codes get this style now.',
  noDefault: 'New codes are plain now.',
  deleted: 'The style was deleted. Codes that have it keep their design.',
};

export type StylesFlash = keyof typeof stylesFlashTexts;
