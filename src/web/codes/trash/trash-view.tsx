import type { TrashedCode } from '../../../codes/trash.ts';
import { undoDays, undoableUntil } from '../../../codes/undo-period.ts';
import type { Change } from '../../../history/changes.ts';
import { Who } from '../../history/actor.tsx';
import { type FormState, Input } from '../../ui/controls.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Form, Layout, NarrowPage, Outcome } from '../../ui/layout.tsx';
import { Pages } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { Needs, useMay, useVisitor } from '../../ui/visitor.ts';
import { figure } from '../../ui/words.tsx';
import { gistOf } from '../shown-type.tsx';

interface TrashProps {
  codes: TrashedCode[];
  /** By the id of the code. */
  deletions: ReadonlyMap<string, Change>;
  /** On this page and others. */
  total: number;
  firstPage?: string | undefined;
  previousPage?: string | undefined;
  nextPage?: string | undefined;
}

export function TrashView(props: TrashProps) {
  const { codes, deletions, total } = props;
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
              <TrashRow
                key={code.id}
                code={code}
                deletion={deletions.get(code.id)}
                canSelect={codes.length > 1}
              />
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

interface RowProps {
  code: TrashedCode;
  deletion: Change | undefined;
  canSelect: boolean;
}

function TrashRow({ code, deletion, canSelect }: RowProps) {
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
        <span>
          Deleted <Moment at={code.trashedAt} show="day" />
          {deletion && (
            <>
              {' '}
              by <Who change={deletion} isWithin />
            </>
          )}
        </span>{' '}
        <span>
          Can be restored until <Moment at={undoableUntil(code.trashedAt)} show="day" />
        </span>
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
        was deleted on <Moment at={code.trashedAt} show="day" />. Its share link does not work.{' '}
        {useMay()('editor') ? 'You can restore it' : 'Editors of this workspace can restore it'} until{' '}
        <Moment at={undoableUntil(code.trashedAt)} show="day" />.
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

/** Typed before several codes are deleted for good. */
export const confirmWord = 'delete';
const wordLabel = `Type “${confirmWord}” to confirm`;

export function DeleteForGoodView({ code, form }: { code: TrashedCode; form: FormState }) {
  return (
    <NarrowPage title="Delete now" at="/codes" isDanger>
      <p>
        Delete{' '}
        <strong>
          <bdi>{code.name}</bdi>
        </strong>{' '}
        for good? {whatIsLost(1)}
      </p>
      <Form action={`/codes/trash/${code.id}/delete`}>
        <Input form={form} name="confirmation" label="Type the name of the code to confirm" autofocus />
        <Answers button="Delete now" keep="Keep it" />
      </Form>
    </NarrowPage>
  );
}

function whatIsLost(count: number): string {
  const what =
    count === 1 ? 'Its share link, scans, design and file' : 'Their share links, scans, designs and files';
  return `${what} are gone at once, and printed copies never work again. This cannot be undone.`;
}

function Answers({ button, keep }: { button: string; keep: string }) {
  return (
    <div class="row">
      <button type="submit" class="danger">
        {button}
      </button>
      <a class="button quiet" href="/codes/trash" data-close>
        {keep}
      </a>
    </div>
  );
}

const shownNames = 10;

export function DeleteSelectedView({ codes, form }: { codes: TrashedCode[]; form: FormState }) {
  const more = codes.length - shownNames;
  return (
    <NarrowPage title="Delete selected" at="/codes" isDanger>
      <p>
        Delete {codes.length === 1 ? 'this code' : `these ${figure(codes.length)} codes`} for good?{' '}
        {whatIsLost(codes.length)}
      </p>
      <ul>
        {codes.slice(0, shownNames).map(({ id, name }) => (
          <li key={id}>
            <bdi>{name}</bdi>
          </li>
        ))}
        {more > 0 && <li>and {figure(more)} more</li>}
      </ul>
      <Form action="/codes/trash/delete">
        {codes.map(({ id }) => (
          <input key={id} type="hidden" name={selectName(id)} value="on" />
        ))}
        <Input form={form} name="confirmation" label={wordLabel} autofocus />
        <Answers
          button={`Delete ${codes.length === 1 ? 'it' : 'them'} now`}
          keep={`Keep ${codes.length === 1 ? 'it' : 'them'}`}
        />
      </Form>
    </NarrowPage>
  );
}

export function EmptyTrashView({ total, form }: { total: number; form: FormState }) {
  return (
    <NarrowPage title="Empty trash" at="/codes" isDanger>
      <p>
        Delete {total === 1 ? 'the code' : `all ${figure(total)} codes`} in the trash for good?{' '}
        {whatIsLost(total)}
      </p>
      <Form action="/codes/trash/empty">
        <Input form={form} name="confirmation" label={wordLabel} autofocus />
        <Answers button="Empty trash" keep={`Keep ${total === 1 ? 'it' : 'them'}`} />
      </Form>
    </NarrowPage>
  );
}
