/** What an API key may be limited to, in the order in which pages and documents list it. */
export const scopes = ['read', 'codes', 'analytics', 'webhooks', 'audit'] as const;
export type Scope = (typeof scopes)[number];

export const scopeTexts: Record<Scope, string> = {
  read: 'Read codes, styles, files and the limits of the workspace, and print codes.',
  codes: 'Create, change and delete codes, styles and files. Includes read.',
  analytics: 'Read the statistics and the scans of codes.',
  webhooks: 'List, create, change and delete webhooks, with their secrets and deliveries.',
  audit: 'Read who changed what in the workspace, with the addresses of its members.',
};

/** What a key may do: null is everything, also what is added later. */
export type KeyScopes = Scope[] | null;

export function isScope(given: unknown): given is Scope {
  return (scopes as readonly unknown[]).includes(given);
}

export function hasScope(granted: KeyScopes, needed: Scope): boolean {
  if (granted === null || granted.includes(needed)) return true;
  return needed === 'read' && granted.includes('codes');
}
