const codes = { path: '/codes', name: 'QR codes' };
const keys = { path: '/keys', name: 'API Keys' };
const docs = { path: '/docs', name: 'Docs' };
export const accountSection = { path: '/account', name: 'Account' };
const user = [codes, keys, docs];
/** The navigation for visitors without an account, for users and for operators. */
export const navigation = {
  visitor: [docs, { path: '/signin', name: 'Sign in' }],
  user,
  operator: [...user, { path: '/admin/queues', name: 'Queues' }],
};
/** Sections that the sign-in may return to. Not share links, which redirect wherever their owner wants. */
export const returnPaths = new Set([...user, accountSection].map(({ path }) => path));
//# sourceMappingURL=sections.js.map
