import type { ListedBlock } from '../../../codes/blocks.ts';
import { CheckBox, type FormState, Input, Select } from '../../ui/controls.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Form } from '../../ui/layout.tsx';
import { Pages, Table } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { AdminLayout, ReasonInput, SearchForm } from '../admin-layout.tsx';

export const blockKinds = [
  ['host', 'Host and its subdomains'],
  ['code', 'One code'],
  ['account', 'Account, with workspaces that only it owns'],
  ['workspace', 'Workspace with all its codes'],
] as const;
export type BlockKind = (typeof blockKinds)[number][0];

interface BlocksProps {
  blocks: ListedBlock[];
  /** The current search. */
  text: string;
  form: FormState;
  firstPage: string | undefined;
  nextPage: string | undefined;
}

export function BlocksView({ blocks, text, form, ...pages }: BlocksProps) {
  return (
    <AdminLayout title="Blocks" at="/admin/blocks" form={form}>
      {(blocks.length > 0 || text) && (
        <SearchForm path="/admin/blocks" label="Search by host, id, email or reason" text={text} />
      )}
      {blocks.length === 0 ? (
        <Empty
          icon={text ? 'search' : 'shield-check'}
          title={text ? 'No block matches' : 'Nothing is blocked'}
        >
          <p>
            {text
              ? 'Try a shorter part of the host, email or reason.'
              : 'Block a host, a code, an account or a workspace below when it is abused.'}
          </p>
        </Empty>
      ) : (
        <section class="card">
          <Table
            class="stacked"
            caption="Blocks, newest first"
            rows={blocks}
            keyOf={({ kind, value }) => `${kind} ${value}`}
            columns={[
              { name: 'Blocked', cell: (block) => <Blocked {...block} /> },
              { name: 'Kind', cell: ({ kind }) => kind },
              { name: 'Reason', cell: ({ reason }) => (reason ? <bdi>{reason}</bdi> : '–') },
              { name: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} /> },
              { name: 'Unblock', isAction: true, cell: (block) => <UnblockForm {...block} /> },
            ]}
          />
        </section>
      )}
      <Pages {...pages} />
      <AddForm form={form} />
    </AdminLayout>
  );
}

function Blocked({ kind, value, email, slug }: ListedBlock) {
  if (kind === 'workspace' && slug !== null)
    return (
      <a href={`/admin/workspaces/${value}`}>
        <bdi>{slug}</bdi>
      </a>
    );
  if (kind !== 'account' || email === null) return <bdi>{value}</bdi>;
  return (
    <a href={`/admin/users/${value}`}>
      <bdi>{email}</bdi>
    </a>
  );
}

function UnblockForm({ kind, value, email, slug }: ListedBlock) {
  return (
    <Form action="/admin/blocks/remove">
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="value" value={value} />
      <button type="submit" class="quiet" aria-label={`Unblock ${email ?? slug ?? value}`}>
        Unblock
      </button>
    </Form>
  );
}

function AddForm({ form }: { form: FormState }) {
  const isTopLevel = form.errors.some(({ message }) => message.includes('top-level domain'));
  return (
    <section class="card">
      <h2>Add a block</h2>
      <p class="quiet">
        Share links, pictures and contact files of what is blocked answer 410 within 10 seconds. Owners see
        that a code is blocked, not why.
      </p>
      <Form action="/admin/blocks">
        <div class="columns side-by-side">
          <Select
            form={form}
            name="kind"
            label="What to block"
            choices={blockKinds.map(([...kind]) => kind)}
          />
          <Input
            form={form}
            name="value"
            label="Host, code, email or workspace"
            required
            autocomplete="off"
            hint="example.com or a URL on it; a share link, token or id; the email of an account; what follows /w/ in the address of a workspace."
          />
        </div>
        {(isTopLevel || form.values['topLevel'] === 'on') && (
          <CheckBox form={form} name="topLevel" label="Block the whole top-level domain" />
        )}
        <ReasonInput form={form} />
        <button type="submit" class="quiet danger">
          Block
        </button>
      </Form>
    </section>
  );
}
