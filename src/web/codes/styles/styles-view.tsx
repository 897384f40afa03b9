import type { RecentApplication } from '../../../codes/styles/style-applications.ts';
import { maxStyles, type Style } from '../../../codes/styles/styles.ts';
import { type FormState, Input } from '../../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../../ui/layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RecentApplications } from './recent-applications-view.tsx';
import { maxStyleNameLength } from './style-name.ts';

interface StylesProps {
  visitor: Visitor;
  styles: Style[];
  /** The id of an application that is not done. */
  running?: string | undefined;
  applications: RecentApplication[];
  flash?: string | undefined;
}

const pathOf = ({ id }: Style) => `/codes/styles/${id}`;

export function StylesView({ visitor, styles, running, applications, flash }: StylesProps) {
  return (
    <Layout title="Styles" visitor={visitor} at="/codes" styles={['codes']}>
      <a class="back" href="/codes">
        ← All QR codes
      </a>
      <h1>Styles</h1>
      {flash && <Notice kind="good">{flash}</Notice>}
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
    </Layout>
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

interface StyleProps {
  visitor: Visitor;
  style: Style;
  form: FormState;
  flash?: string | undefined;
}

export function StyleView({ visitor, style, form, flash }: StyleProps) {
  const isInvalid = form.errors.length > 0;
  return (
    <Layout title={isInvalid ? 'Error: Style' : 'Style'} visitor={visitor} at="/codes" styles={['codes']}>
      <a class="back" href="/codes/styles">
        ← All styles
      </a>
      <h1>
        Style <bdi>{style.name}</bdi>
      </h1>
      {flash && <Notice kind="good">{flash}</Notice>}
      {isInvalid && (
        <Notice kind="bad" isFocused>
          Not saved. Check the marked field.
        </Notice>
      )}
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
    </Layout>
  );
}

export function DeleteStyleView({ visitor, style }: { visitor: Visitor; style: Style }) {
  return (
    <Layout title="Delete style" visitor={visitor} at="/codes">
      <section class="card narrow danger">
        <h1>Delete style</h1>
        <p>
          Delete{' '}
          <strong>
            <bdi>{style.name}</bdi>
          </strong>
          ? Codes that have got it keep their design.{' '}
          {style.isDefault && 'New codes are plain from then on. '}This cannot be undone.
        </p>
        <Form action={`${pathOf(style)}/delete`} class="row">
          <button type="submit" class="danger">
            Delete
          </button>
          <a class="button quiet" href="/codes/styles">
            Keep it
          </a>
        </Form>
      </section>
    </Layout>
  );
}
