import type { Role } from '../../workspaces/members.ts';
import type { IconName } from './icons.tsx';

export interface Section {
  path: string;
  name: string;
  icon?: IconName;
  /** Needs a workspace to show. */
  isOfWorkspace?: boolean;
  /** Only for members with at least this role. */
  needs?: Role;
}

const codes: Section = { path: '/codes', name: 'QR codes', icon: 'qr-code', isOfWorkspace: true };
const templates: Section = { path: '/codes/styles', name: 'Templates', icon: 'palette', isOfWorkspace: true };
const keys: Section = {
  path: '/keys',
  name: 'API keys',
  icon: 'key-round',
  needs: 'owner',
  isOfWorkspace: true,
};
const webhooks: Section = {
  path: '/webhooks',
  name: 'Webhooks',
  icon: 'webhook',
  needs: 'editor',
  isOfWorkspace: true,
};
const workspace: Section = { path: '/workspace', name: 'Workspace', icon: 'users', isOfWorkspace: true };
const docs: Section = { path: '/docs', name: 'Docs' };

/** For people who are not a member of any workspace. */
export const newWorkspace: Section = { path: '/workspaces/new', name: 'New workspace', icon: 'plus' };

export const accountSection: Section = { path: '/account', name: 'Account', icon: 'settings' };

const user = [codes, templates, keys, webhooks, workspace, { ...docs, icon: 'book-open' } as const];

/** The navigation for visitors without an account, for those who look at the demo, for users and for operators. */
export const navigation: Record<'visitor' | 'demo' | 'user' | 'operator', Section[]> = {
  visitor: [docs, { path: '/signin', name: 'Sign in' }],
  demo: [codes, templates, { ...docs, icon: 'book-open' }],
  user,
  operator: [...user, { path: '/admin', name: 'Admin', icon: 'shield-check' }],
};

/** Sections that the sign-in may return to. Not share links, which redirect wherever their owner wants. */
export const returnPaths: ReadonlySet<string> = new Set([
  ...[...user, accountSection].map(({ path }) => path),
  '/members',
  '/history',
  '/workspaces',
  '/invitations',
]);

/** The sign-in or sign-up page, which returns to `next` afterwards. */
export function withNext(path: string, next: string | undefined): string {
  return next ? `${path}?next=${encodeURIComponent(next)}` : path;
}

/** The section that a page belongs to, in the navigation. */
export function sectionName(path: string): string | undefined {
  const first = /^\/[\w-]+/.exec(path)?.[0];
  return [...user, accountSection].find((section) => section.path === first)?.name;
}
