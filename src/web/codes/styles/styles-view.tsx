import type { RecentApplication } from '../../../codes/styles/style-applications.ts';
import { type Style, maxStyles } from '../../../codes/styles/styles.ts';
import { type FormState, Input } from '../../ui/controls.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Confirmation, Form, Page } from '../../ui/layout.tsx';
import { figure } from '../../ui/words.tsx';
import { Moment } from '../../ui/time.tsx';
import { Needs, useMay } from '../../ui/visitor.ts';

interface StylesProps {
  styles: Style[];
  /** The id of an application that is not done. */
  running?: string | undefined;
  applications: RecentApplication[];
}

const pathOf = ({ id }: Style) => `/codes/styles/${id}`;

export function StylesView({ styles, running, applications }: StylesProps) {
  return (
    <Page
      title="Templates"
      at="/codes/styles"
      styles={['codes']}
      heading={
        <div class="heading styles-heading">
          <h1>Templates</h1>
          <Needs access="editor or demo">
            <div class="row">
              <a class="button quiet" href="/codes/brand">
                Brand
              </a>
              {styles.length > 0 && <NewStyle />}
            </div>
          </Needs>
        </div>
      }
    >
      {running && (
        <p>
          A template is being applied
          <Needs access="editor">
            : <a href={`/codes/styles/applications/${running}`}>see how far it is</a>
          </Needs>
        </p>
      )}
      {styles.length === 0 ? (
        <Empty title="No templates yet">
          <p>A template is a design with a name: for many codes, or for all new ones.</p>
          <Needs access="editor or demo">
            <NewStyle />
          </Needs>
        </Empty>
      ) : (
        <>
          <Needs access="editor or demo">
            <p class="hint">
              To apply a template, select codes in <a href="/codes">the list</a>. An account can have{' '}
              {maxStyles}.
            </p>
          </Needs>
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

function NewStyle() {
  return (
    <a class="button" href="/codes/styles/new">
      <Icon name="plus" />
      New template
    </a>
  );
}

export function StyleImage({ style, width = 120 }: { style: Style; width?: number }) {
  // Decorative: its name is beside it. The address changes with the style.
  const version = style.updatedAt.getTime();
  return (
    <img
      src={`${pathOf(style)}/picture.svg?v=${version}`}
      width={width}
      height={width}
      alt=""
      loading="lazy"
    />
  );
}

function StyleItem({ style }: { style: Style }) {
  return (
    <li class="card">
      <div class="style-picture">
        <StyleImage style={style} />
      </div>
      <div class="style-foot">
        <h2>
          <a href={pathOf(style)}>
            <bdi>{style.name}</bdi>
          </a>
        </h2>
        {style.isDefault && <span class="badge good">Default</span>}
        <Needs access="editor or demo">
          <details class="menu" name="actions">
            <summary aria-label={`Actions for ${style.name}`}>
              <Icon name="ellipsis" />
            </summary>
            <div>
              <a href={`${pathOf(style)}/design`} aria-label={`Edit ${style.name}`}>
                <Icon name="palette" />
                Edit design
              </a>
              <Needs access="editor">
                <MoreActions style={style} />
              </Needs>
            </div>
          </details>
        </Needs>
      </div>
    </li>
  );
}

/** In a menu. */
function MoreActions({ style }: { style: Style }) {
  const text = style.isDefault ? 'Remove as default' : 'Make default';
  return (
    <>
      <Form action={`${pathOf(style)}/default`}>
        <input type="hidden" name="isDefault" value={String(!style.isDefault)} />
        <button type="submit" class="link" aria-label={`${text}: ${style.name}`}>
          <Icon name="star" />
          {text}
        </button>
      </Form>
      <a class="danger" href={`${pathOf(style)}/delete`} aria-label={`Delete ${style.name}`} data-dialog>
        <Icon name="trash-2" />
        Delete
      </a>
    </>
  );
}

export function StyleView({ style, form }: { style: Style; form: FormState }) {
  return (
    <Page
      title="Template"
      at="/codes/styles"
      styles={['codes']}
      back={['/codes/styles', 'All templates']}
      heading={
        <div class="heading">
          <h1>
            Template <bdi>{style.name}</bdi>
          </h1>
          <div class="row">
            <Needs access="editor or demo">
              <a class="button" href={`${pathOf(style)}/design`}>
                <Icon name="palette" />
                Edit design
              </a>
            </Needs>
            <Needs access="editor">
              <details class="menu">
                <summary class="quiet" aria-label="More actions">
                  <Icon name="ellipsis" />
                </summary>
                <div>
                  <MoreActions style={style} />
                </div>
              </details>
            </Needs>
          </div>
        </div>
      }
      form={form}
    >
      <section class="card one-style">
        <div class="style-picture">
          <StyleImage style={style} width={200} />
        </div>
        <div>
          <p>
            {style.isDefault ? (
              <>
                <span class="badge good">Default</span> Used for new codes, where phones can read them in it.
              </>
            ) : (
              'Not used for new codes.'
            )}
          </p>
          <Needs access="editor">
            <Form action={`${pathOf(style)}/rename`}>
              <Input form={form} name="name" label="Name" required maxLength={maxStyleNameLength} />
              <button type="submit" class="quiet">
                Save name
              </button>
            </Form>
          </Needs>
          <Needs access="editor or demo">
            <p class="hint">
              To apply it, select codes in <a href="/codes">the list</a>, then choose Apply a template.
            </p>
          </Needs>
        </div>
      </section>
    </Page>
  );
}

export function DeleteStyleView({ style }: { style: Style }) {
  return (
    <Confirmation
      title="Delete template"
      at="/codes/styles"
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
  const canOpen = useMay()('editor');
  return (
    <li>
      <div>
        <span>
          {canOpen ? (
            <a href={path}>
              <bdi>{styleName}</bdi>
            </a>
          ) : (
            <bdi>{styleName}</bdi>
          )}
          {isForNewCodes && ' for new codes'}
        </span>
        <span class="hint">
          <Moment at={createdAt} />
        </span>
      </div>
      <div>
        {isEmpty && 'Its codes were deleted.'}
        {applied > 0 && <span>{appliedText(applied)}</span>}
        {refused > 0 &&
          (canOpen ? (
            <a href={`${path}#refused`} aria-label={`${refusedText(refused)}: see why, ${styleName}`}>
              {refusedText(refused)}: see why
            </a>
          ) : (
            <span>{refusedText(refused)}</span>
          ))}
        {waiting > 0 && <span>{waitingText(waiting)}</span>}
      </div>
    </li>
  );
}

const codes = (count: number) => `${figure(count)} ${count === 1 ? 'code' : 'codes'}`;

/** "1 code has the template" */
export function appliedText(applied: number): string {
  return `${codes(applied)} ${applied === 1 ? 'has' : 'have'} the template`;
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
  created: 'Template saved.',
  designed: 'Template saved. Codes that have it keep their design until you apply it again.',
  renamed: 'The template was renamed.',
  isDefault: 'New codes get this template now.',
  noDefault: 'New codes are plain now.',
  deleted: 'The template was deleted. Codes that have it keep their design.',
};

export type StylesFlash = keyof typeof stylesFlashTexts;
