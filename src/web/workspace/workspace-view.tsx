import type { AccountExport } from '../../accounts/account-exports.ts';
import type { FieldError } from '../../errors.ts';
import type { Role } from '../../workspaces/members.ts';
import type { Workspace } from '../../workspaces/workspace.ts';
import { maxNameLength } from '../../workspaces/founding.ts';
import { maxSlugLength } from '../../workspaces/slug.ts';
import { CurrentPassword } from '../account/current-password.tsx';
import { type FormState, Input, Reveal, idOf } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { Form, Layout, NarrowPage, Notice } from '../ui/layout.tsx';
import { Moment } from '../ui/time.tsx';
import { Needs, useVisitor } from '../ui/visitor.ts';
import { figure } from '../ui/words.tsx';
import { PlanCard, type PlanProps } from './plan-card.tsx';
import { WorkspaceTabs } from './workspace-tabs.tsx';

/** The page has several forms. */
export interface RefusedForm {
  name: 'name' | 'slug' | 'delete';
  errors: FieldError[];
}

interface WorkspaceProps {
  workspace: Pick<Workspace, 'name' | 'slug'>;
  role: Role;
  /** The address of its pages, up to the slug. */
  prefix: string;
  /** How many people are members. */
  members: number;
  plan: PlanProps;
  /** Undefined for those who cannot make one. */
  latestExport: ExportState | undefined;
  /** Whether the owners get a mail when an export is ready. */
  isMailed: boolean;
  refused: RefusedForm | undefined;
  /** The input, without passwords. */
  values: FormState['values'];
}

const roleTexts: Record<Role, string> = {
  owner: 'You are an owner: you can change everything here.',
  editor: 'You are an editor: you can change codes and everything on them.',
  viewer: 'You are a viewer: you can look at codes and download them.',
};

export function WorkspaceView(props: WorkspaceProps) {
  const { workspace, role, prefix, members, plan, latestExport, isMailed, refused } = props;
  const { flash } = useVisitor();
  const isOwner = role === 'owner';
  return (
    <Layout
      title={refused ? 'Error: Settings' : 'Settings'}
      at="/workspace"
      styles={['account', 'workspace']}
    >
      <h1>Settings</h1>
      <WorkspaceTabs at="/workspace" />
      {flash && (
        <Notice kind="good" isToast>
          {flash}
        </Notice>
      )}
      <section class="card setting">
        <h2>
          <bdi>{workspace.name}</bdi>
        </h2>
        <p>
          {roleTexts[role]}{' '}
          {members === 1 ? 'Nobody else is a member.' : `It has ${figure(members)} members.`}
        </p>
        <p>
          Its address is{' '}
          <code class="wrap">
            {prefix}
            {workspace.slug}
          </code>
          .
        </p>
        {isOwner && <NameForm {...props} />}
        {isOwner && <AddressForm {...props} />}
        <p class="after">
          <a href="/workspaces/new">Create another workspace</a>
        </p>
      </section>
      <PlanCard plan={plan} />
      <Needs access="editor">
        <section class="card setting">
          <h2>Brand</h2>
          <p>
            <a class="button quiet" href="/codes/brand">
              <Icon name="palette" />
              Colors and logo
            </a>
          </p>
        </section>
      </Needs>
      {isOwner && <ExportCard latest={latestExport} isMailed={isMailed} />}
      {isOwner && <DeleteCard {...props} />}
    </Layout>
  );
}

function NameForm({ workspace, refused, values }: WorkspaceProps) {
  const isRefused = refused?.name === 'name';
  const form: FormState = {
    values: isRefused ? values : { name: workspace.name },
    errors: isRefused ? refused.errors : [],
  };
  return (
    <>
      {isRefused && <Refused text="The workspace was not renamed." errors={refused.errors} />}
      <Form action="/workspace/name">
        <Input form={form} name="name" label="Name" required autocomplete="off" maxLength={maxNameLength} />
        <button type="submit" class="quiet">
          Save name
        </button>
      </Form>
    </>
  );
}

function AddressForm({ workspace, prefix, refused, values }: WorkspaceProps) {
  const isRefused = refused?.name === 'slug';
  const form: FormState = {
    values: isRefused ? values : { slug: workspace.slug },
    errors: isRefused ? refused.errors : [],
  };
  return (
    <>
      {isRefused && <Refused text="The address was not changed." errors={refused.errors} />}
      <div class="after">
        <Reveal title="Change address…" isOpen={isRefused}>
          <Form action="/workspace/address">
            <Input
              form={form}
              name="slug"
              label="Address"
              required
              autocomplete="off"
              maxLength={maxSlugLength}
              hint={`What follows ${prefix}. The former address leads to the new one. QR codes and API keys stay the same.`}
            />
            <button type="submit" class="quiet">
              Change address
            </button>
          </Form>
        </Reveal>
      </div>
    </>
  );
}

function DeleteCard({ workspace, members, refused, values }: WorkspaceProps) {
  const isRefused = refused?.name === 'delete';
  const form: FormState = {
    values: { confirmation: isRefused ? (values['confirmation'] ?? '') : '' },
    errors: isRefused ? refused.errors : [],
  };
  return (
    <section class="card setting danger">
      <h2>Delete workspace</h2>
      {isRefused && <Refused text="The workspace was not deleted." errors={refused.errors} />}
      <p>
        This permanently deletes its API keys, webhooks and codes, also those in the trash, and all their
        scans. Printed codes stop working. {members > 1 && 'The other members are told by email. '}
        Your account stays.
      </p>
      <Reveal title="Delete workspace…" isOpen={isRefused} isDanger>
        <Form action="/workspace/delete">
          <Input
            form={form}
            name="confirmation"
            label={`Type ${workspace.name} to confirm`}
            required
            autocomplete="off"
          />
          <CurrentPassword
            form={form}
            name="deletePassword"
            purpose="delete the workspace"
            page="/workspace"
          />
          <button type="submit" class="danger">
            Delete workspace
          </button>
        </Form>
      </Reveal>
    </section>
  );
}

/** Beside the form, so that both are on the same screen. */
function Refused({ text, errors }: { text: string; errors: FieldError[] }) {
  return (
    <Notice kind="bad" isFocused>
      {text} Check the{' '}
      <a href={`#${idOf(errors[0]?.field ?? '')}`}>
        {errors.length === 1 ? 'marked field' : 'marked fields'}
      </a>
      .
    </Notice>
  );
}

type ExportState = Pick<AccountExport, 'state' | 'failure' | 'bytes' | 'expiresAt'>;

/** The archive of a workspace: ask for it, wait, download. */
function ExportCard({ latest, isMailed }: { latest: ExportState | undefined; isMailed: boolean }) {
  return (
    <section class="card setting" id="export">
      <h2>Export</h2>
      <p>
        A ZIP archive with the members, keys, webhooks, templates, brand, codes and all their scans, as JSON
        and CSV, and the uploaded files and logos. It is kept for seven days.
      </p>
      {latest && <Latest {...latest} isMailed={isMailed} />}
      {latest?.state !== 'pending' && (
        <Form action="/workspace/export">
          <button type="submit" class="quiet">
            {latest?.state === 'ready' ? 'Create a new export' : 'Create export'}
          </button>
        </Form>
      )}
    </section>
  );
}

function Latest({ state, failure, bytes, expiresAt, isMailed }: ExportState & { isMailed: boolean }) {
  if (state === 'pending')
    return (
      <p>
        The export is being created. Reload this page in a minute to download it.
        {isMailed && ' You also get an email when it is ready.'}
      </p>
    );
  if (state === 'failed' && failure === 'error')
    return (
      <p>
        The export could not be created. Try again. If that does not help, contact the operator of this
        service.
      </p>
    );
  if (state === 'failed')
    return (
      <p>
        The workspace has too many scans for one export. Delete codes that you no longer need, download their
        scans on the page of each code, or contact the operator of this service.
      </p>
    );
  return (
    <p>
      <a href="/workspace/export.zip" download>
        Download the export
      </a>{' '}
      ({figure(Math.ceil(bytes / 1_000))} KB), until <Moment at={expiresAt} show="day" />
    </p>
  );
}

interface NewWorkspaceProps {
  form: FormState;
  /** The address of a workspace, up to its slug. */
  prefix: string;
  /** What the name in the form becomes. */
  slug: string;
  owned: number;
  limit: number;
  /** Of at least one workspace. */
  isMember: boolean;
}

export function NewWorkspaceView({ form, prefix, slug, owned, limit, isMember }: NewWorkspaceProps) {
  const { assets, flash } = useVisitor();
  return (
    <NarrowPage title="New workspace" at={isMember ? '/workspace' : '/workspaces/new'} form={form}>
      {flash && (
        <Notice kind="good" isToast>
          {flash}
        </Notice>
      )}
      <p>
        A workspace has its own codes, templates, API keys, webhooks and members.
        {!isMember && ' You are not a member of one at the moment.'}
      </p>
      {owned < limit ? (
        <Form action="/workspaces/new">
          <Input
            form={form}
            name="name"
            label="Name"
            required
            autocomplete="organization"
            maxLength={maxNameLength}
            hint="Such as the name of your company or team. You can change it later."
          />
          <div class="field">
            <p>
              Address:{' '}
              <code class="wrap">
                {prefix}
                <output data-slug-of="name">{slug}</output>
              </code>
            </p>
            <p class="hint">It gets a suffix if another workspace has it. You can change it later.</p>
          </div>
          <div class="row">
            <button type="submit">Create workspace</button>
            {isMember && (
              <a class="button quiet" href="/workspace">
                Cancel
              </a>
            )}
          </div>
        </Form>
      ) : (
        <p>
          You own {figure(owned)} workspaces and may own {figure(limit)}. Delete one or hand one over first,
          or ask the operator of this service for a higher limit.
        </p>
      )}
      <script type="module" src={`${assets}/workspace/slug.browser.js`} />
    </NarrowPage>
  );
}
