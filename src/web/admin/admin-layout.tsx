import type { ComponentChildren } from 'preact';
import { isLabel, normalizeLabel } from '../../codes/label.ts';
import type { FieldError } from '../../errors.ts';
import { type FormState, Input } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { Form, Page } from '../ui/layout.tsx';
import { Moment } from '../ui/time.tsx';

const sections = [
  { path: '/admin', name: 'Overview' },
  { path: '/admin/users', name: 'Users' },
  { path: '/admin/workspaces', name: 'Workspaces' },
  { path: '/admin/blocks', name: 'Blocks' },
  { path: '/admin/queues', name: 'Queues' },
  { path: '/admin/audit', name: 'Audit log' },
] as const;

interface AdminLayoutProps {
  title: string;
  at: (typeof sections)[number]['path'];
  /** Instead of the title. */
  heading?: ComponentChildren;
  form?: FormState;
  children: ComponentChildren;
}

/** A page for operators, in the layout of the app. */
export function AdminLayout({ at, title, heading = <h1>{title}</h1>, form, children }: AdminLayoutProps) {
  const nav = (
    <nav class="admin-nav" aria-label="Admin">
      {sections.map(({ path, name }) => (
        <a key={path} href={path} aria-current={path === at ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
  return (
    <Page
      title={title}
      at="/admin"
      styles={['codes', 'admin']}
      form={form}
      heading={
        <>
          {nav}
          {heading}
        </>
      }
    >
      {children}
    </Page>
  );
}

interface SearchFormProps {
  path: string;
  label: string;
  /** The current search. */
  text: string;
}

export function SearchForm({ path, label, text }: SearchFormProps) {
  return (
    <form class="admin-search search" action={path} role="search">
      <div class="search-box">
        <Icon name="search" />
        <Input
          form={{ values: { q: text }, errors: [] }}
          name="q"
          label={label}
          type="search"
          placeholder={label}
          maxLength={maxSearchLength}
        />
      </div>
      <div class="row">
        <button type="submit" class="quiet">
          Search
        </button>
        {text && (
          <a class="button quiet" href={path}>
            Clear
          </a>
        )}
      </div>
    </form>
  );
}

export const maxSearchLength = 254;
const maxReasonLength = 500;

export interface Block {
  reason: string | null;
  createdAt: Date;
}

interface BlockFormProps {
  /** Of the page, whose forms are below it. */
  path: string;
  what: 'account' | 'workspace';
  block: Block | undefined;
  form: FormState;
  /** What blocking does. */
  children: ComponentChildren;
}

/** Blocks an account or a workspace, or shows why it is blocked and unblocks it. */
export function BlockForm({ path, what, block, form, children }: BlockFormProps) {
  if (block)
    return (
      <section class="card danger">
        <h2>Blocked</h2>
        <p>
          Since <Moment at={block.createdAt} />.{' '}
          {block.reason ? <>Reason: {<bdi>{block.reason}</bdi>}</> : 'No reason was given.'}
        </p>
        <Form action={`${path}/unblock`}>
          <button type="submit" class="quiet">
            Unblock {what}
          </button>
        </Form>
      </section>
    );
  return (
    <section class="card danger">
      <h2>Block {what}</h2>
      <p>{children}</p>
      <Form action={`${path}/block`}>
        <ReasonInput form={form} />
        <button type="submit" class="danger">
          Block {what}
        </button>
      </Form>
    </section>
  );
}

export function Totals({ totals }: { totals: [name: string, value: string][] }) {
  return (
    <dl class="totals">
      {totals.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Why something is blocked. */
export function ReasonInput({ form }: { form: FormState }) {
  return (
    <Input
      form={form}
      name="reason"
      label="Reason (optional)"
      maxLength={maxReasonLength}
      autocomplete="off"
      hint="Only operators see it."
    />
  );
}

/** One line: the list of blocks and the audit log show it. */
export function normalizeReason(text: string): string {
  return normalizeLabel(text.replaceAll(/\s+/g, ' '), maxReasonLength);
}

export function reasonErrors(reason: string): FieldError[] {
  if (reason === '') return [];
  if ([...reason].length > maxReasonLength)
    return [{ field: 'reason', message: `must have at most ${maxReasonLength} characters` }];
  return isLabel(reason) ? [] : [{ field: 'reason', message: 'must not contain invisible characters' }];
}
