interface Section {
  path: string;
  name: string;
}

const codes = { path: '/codes', name: 'QR codes' };
const keys = { path: '/keys', name: 'API Keys' };
const webhooks = { path: '/webhooks', name: 'Webhooks' };
const docs = { path: '/docs', name: 'Docs' };

export const accountSection: Section = { path: '/account', name: 'Account' };

const user = [codes, keys, webhooks, docs];

/** The navigation for visitors without an account, for users and for operators. */
export const navigation: Record<'visitor' | 'user' | 'operator', Section[]> = {
  visitor: [docs, { path: '/signin', name: 'Sign in' }],
  user,
  operator: [...user, { path: '/admin', name: 'Admin' }],
};

/** Sections that the sign-in may return to. Not share links, which redirect wherever their owner wants. */
export const returnPaths: ReadonlySet<string> = new Set([...user, accountSection].map(({ path }) => path));

/** The section that a page belongs to, in the navigation. */
export function sectionName(path: string): string | undefined {
  const first = /^\/[\w-]+/.exec(path)?.[0];
  return [...user, accountSection].find((section) => section.path === first)?.name;
}
