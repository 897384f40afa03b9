import type { TrashedCode } from '../../../codes/trash.ts';
import { undoDays, undoableUntil } from '../../../codes/undo-period.ts';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Confirmation, Form, Layout, NarrowPage, Outcome } from '../../ui/layout.tsx';
import { Pages } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { Needs, useVisitor } from '../../ui/visitor.ts';
import { figure } from '../../ui/words.tsx';
import { gistOf } from '../shown-type.tsx';

interface TrashProps {
  codes: TrashedCode[];
  /** On this page and others. */
  total: number;
  firstPage?: string | undefined;
  previousPage?: string | undefined;
  nextPage?: string | undefined;
}

export function TrashView(props: TrashProps) {
  const { codes, total } = props;
  return (
    <Layout title="Trash" at="/codes" styles={['codes']}>
      <div class="heading">
        <h1>Trash</h1>
        {total > 0 && (
          <p class="quiet total">
            {figure(total)} {total === 1 ? 'code' : 'codes'}
          </p>
        )}
        {total > 0 && (
          <Needs access="editor">
            <a class="button quiet danger" href="/codes/trash/empty" data-dialog>
              <Icon name="trash-2" />
              Empty trash
            </a>
          </Needs>
        )}
      </div>
      <Outcome />
      {codes.length > 0 ? (
        <>
          <p class="quiet">
            The share links of these codes do not work, and they do not count against your limit. Each can be
            restored for {undoDays} days, with its scans, design and file. The oldest files may go earlier,
            when a new upload needs their room.
          </p>
          <ul class="card trash" aria-label="Deleted codes, the latest first">
            {codes.map((code) => (
              <TrashRow key={code.id} code={code} canSelect={codes.length > 1} />
            ))}
          </ul>
          {codes.length > 1 && (
            <Needs access="editor">
              <SelectedForm />
            </Needs>
          )}
        </>
      ) : (
        <Empty icon="trash-2" title="The trash is empty">
          <p>Codes that you delete stay here for {undoDays} days, so that you can restore them.</p>
        </Empty>
      )}
      <div class="list-end">
        <Pages {...props} />
        <a href="/codes">Back to your codes</a>
      </div>
    </Layout>
  );
}

function TrashRow({ code, canSelect }: { code: TrashedCode; canSelect: boolean }) {
  const path = `/codes/trash/${code.id}`;
  return (
    <li>
      <div class="code-name">
        {canSelect && (
          <Needs access="editor">
            <SelectBox code={code} />
          </Needs>
        )}
        <img src={`${path}/picture.svg`} width="44" height="44" alt="" />
        <div>
          <strong title={code.name}>
            <bdi>{code.name}</bdi>
          </strong>
          <span class="gist" dir="auto">
            {gistOf(code)}
          </span>
        </div>
      </div>
      <p class="quiet">
        Deleted <Moment at={code.trashedAt} show="day" />, gone for good on{' '}
        <Moment at={undoableUntil(code.trashedAt)} show="day" />
      </p>
      <Needs access="editor">
        <div class="row">
          <RestoreForm code={code} look="small quiet" />
          <a
            class="button small ghost danger"
            href={`${path}/delete`}
            data-dialog
            aria-label={`Delete now: ${code.name}`}
          >
            Delete now
          </a>
        </div>
      </Needs>
    </li>
  );
}

const formId = 'selection';

/** The name of the box of a code. */
export const selectName = (id: string) => `code-${id}`;

function SelectBox({ code: { id, name } }: { code: TrashedCode }) {
  return (
    <label class="select-box">
      <input type="checkbox" name={selectName(id)} form={formId} aria-label={`Select ${name}`} />
    </label>
  );
}

/** For the codes whose boxes are checked. trash.browser.js shows it while there are some. */
function SelectedForm() {
  const { assets } = useVisitor();
  return (
    <Form action="/codes/trash/restore" id={formId} class="card selection">
      <script type="module" src={`${assets}/codes/trash/trash.browser.js`} />
      <p class="count" />
      <button type="button" class="ghost select-page" hidden>
        Select this page
      </button>
      <button type="submit" class="quiet">
        <Icon name="undo-2" />
        Restore selected
      </button>
      <button type="submit" class="quiet danger" formaction="/codes/trash/delete">
        <Icon name="trash-2" />
        Delete selected
      </button>
      <button
        type="button"
        class="ghost icon-only clear"
        aria-label="Clear selection"
        title="Clear selection"
        hidden
      >
        <Icon name="x" />
      </button>
      <p class="hint">Select codes by their boxes.</p>
    </Form>
  );
}

function RestoreForm({ code: { id, name }, look }: { code: TrashedCode; look?: string }) {
  return (
    <Form action={`/codes/trash/${id}/restore`}>
      <button type="submit" class={look && `button ${look}`} aria-label={`Restore ${name}`}>
        <Icon name="undo-2" />
        Restore
      </button>
    </Form>
  );
}

/** Instead of the page of a code that is in the trash. */
export function TrashedCodeView({ code }: { code: TrashedCode }) {
  return (
    <NarrowPage title="This code is in the trash" icon="trash-2" at="/codes">
      <p>
        <strong>
          <bdi>{code.name}</bdi>
        </strong>{' '}
        was deleted on <Moment at={code.trashedAt} show="day" />. Its share link does not work. You can
        restore it until <Moment at={undoableUntil(code.trashedAt)} show="day" />.
      </p>
      <div class="row">
        <Needs access="editor">
          <RestoreForm code={code} />
        </Needs>
        <a class="button quiet" href="/codes/trash">
          Open the trash
        </a>
      </div>
    </NarrowPage>
  );
}

export function DeleteForGoodView({ code }: { code: TrashedCode }) {
  return (
    <Confirmation
      title="Delete now"
      at="/codes"
      action={`/codes/trash/${code.id}/delete`}
      button="Delete now"
      keep="/codes/trash"
    >
      Delete{' '}
      <strong>
        <bdi>{code.name}</bdi>
      </strong>{' '}
      for good? Its share link, scans, design and file are gone at once, and printed copies never work again.
      This cannot be undone.
    </Confirmation>
  );
}

const shownNames = 10;

export function DeleteSelectedView({ codes }: { codes: TrashedCode[] }) {
  const more = codes.length - shownNames;
  return (
    <NarrowPage title="Delete selected" at="/codes" isDanger>
      <p>
        Delete {codes.length === 1 ? 'this code' : `these ${figure(codes.length)} codes`} for good? Share
        links, scans, designs and files are gone at once, and printed copies never work again. This cannot be
        undone.
      </p>
      <ul>
        {codes.slice(0, shownNames).map(({ id, name }) => (
          <li key={id}>
            <bdi>{name}</bdi>
          </li>
        ))}
        {more > 0 && <li>and {figure(more)} more</li>}
      </ul>
      <Form action="/codes/trash/delete" class="row">
        <input type="hidden" name="confirmation" value="yes" />
        {codes.map(({ id }) => (
          <input key={id} type="hidden" name={selectName(id)} value="on" />
        ))}
        <button type="submit" class="danger">
          Delete {codes.length === 1 ? 'it' : 'them'} now
        </button>
        <a class="button quiet" href="/codes/trash" autofocus>
          Keep {codes.length === 1 ? 'it' : 'them'}
        </a>
      </Form>
    </NarrowPage>
  );
}

export function EmptyTrashView({ total }: { total: number }) {
  return (
    <Confirmation
      title="Empty trash"
      at="/codes"
      action="/codes/trash/empty"
      button="Empty trash"
      keep="/codes/trash"
    >
      Delete {total === 1 ? 'the code' : `all ${figure(total)} codes`} in the trash for good? Their share
      links, scans, designs and files are gone at once, and printed copies never work again. This cannot be
      undone.
    </Confirmation>
  );
}
