import type { ListedBlock } from '../../../codes/blocks.ts';
import { CheckBox, type FormState, Input, Select } from '../../ui/controls.tsx';
import { Form, type Visitor } from '../../ui/layout.tsx';
import { Moment } from '../../ui/moment.tsx';
import { AdminLayout } from '../admin-layout.tsx';
import { maxReasonLength } from '../admin-input.ts';
import { Pages } from '../pages.tsx';

export const blockKinds = [
  ['host', 'Host and its subdomains'],
  ['code', 'One code'],
  ['account', 'Account with all its codes'],
] as const;
export type BlockKind = (typeof blockKinds)[number][0];

interface BlocksProps {
  visitor: Visitor;
  blocks: ListedBlock[];
  /** What was searched for. */
  text: string;
  form: FormState;
  flash: string | undefined;
  firstPage: string | undefined;
  nextPage: string | undefined;
}

export function BlocksView({ visitor, blocks, text, form, flash, firstPage, nextPage }: BlocksProps) {
  return (
    <AdminLayout
      visitor={visitor}
      title="Blocks"
      at="/admin/blocks"
      flash={flash}
      problem={form.errors.length > 0 ? 'Nothing was blocked. Check the marked field.' : undefined}
    >
      <AddForm form={form} />
      <form class="card row" action="/admin/blocks" role="search">
        <Input
          form={{ values: { q: text }, errors: [] }}
          name="q"
          label="Search by host, id, email or reason"
          type="search"
          maxLength={254}
        />
        <button type="submit" class="quiet">
          Search
        </button>
        {text && (
          <a class="button quiet after-field" href="/admin/blocks">
            Clear
          </a>
        )}
      </form>
      <section class="card">
        {blocks.length === 0 ? (
          <p>{text ? 'No block matches.' : 'Nothing is blocked.'}</p>
        ) : (
          <BlockTable blocks={blocks} />
        )}
      </section>
      <Pages firstPage={firstPage} nextPage={nextPage} />
    </AdminLayout>
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
            label="Host, code or email"
            required
            autocomplete="off"
            hint="example.com or a URL on it; a share link, token or id; the email of an account."
          />
        </div>
        {(isTopLevel || form.values['topLevel'] === 'on') && (
          <CheckBox form={form} name="topLevel" label="Block the whole top-level domain" />
        )}
        <Input
          form={form}
          name="reason"
          label="Reason (optional)"
          maxLength={maxReasonLength}
          autocomplete="off"
          hint="Only operators see it."
        />
        <button type="submit" class="danger">
          Block
        </button>
      </Form>
    </section>
  );
}

function BlockTable({ blocks }: { blocks: ListedBlock[] }) {
  return (
    <table class="stacked">
      <caption class="unseen">Blocks, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Blocked</th>
          <th scope="col">Kind</th>
          <th scope="col">Reason</th>
          <th scope="col">Since</th>
          <th scope="col">
            <span class="unseen">Unblock</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {blocks.map(({ kind, value, email, reason, createdAt }) => (
          <tr key={`${kind} ${value}`}>
            <th scope="row">
              {kind === 'account' && email !== null ? (
                <a href={`/admin/users/${value}`}>
                  <bdi>{email}</bdi>
                </a>
              ) : (
                <bdi>{value}</bdi>
              )}
            </th>
            <td data-label="Kind">{kind}</td>
            <td data-label="Reason">{reason ? <bdi>{reason}</bdi> : '–'}</td>
            <td data-label="Since">
              <Moment at={createdAt} />
            </td>
            <td>
              <Form action="/admin/blocks/remove">
                <input type="hidden" name="kind" value={kind} />
                <input type="hidden" name="value" value={value} />
                <button type="submit" class="quiet" aria-label={`Unblock ${email ?? value}`}>
                  Unblock
                </button>
              </Form>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
