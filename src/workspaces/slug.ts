import { v4 as uuidv4 } from 'uuid';

const maxBaseLength = 30;
export const maxSlugLength = 40;
/** Would look like a page of the service, or like somebody who speaks for it. */
const reserved = new Set([
  'admin',
  'api',
  'help',
  'new',
  'operator',
  'qrelay',
  'security',
  'settings',
  'support',
  'system',
  'www',
]);

/** The part of an address that a name becomes: "Café Zürich" is `cafe-zurich`. The browser script of the form does the same. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxBaseLength)
    .replace(/-$/, '');
  return slug || 'workspace';
}

/** Why an owner cannot choose it as the address of a workspace. */
export function slugError(slug: string): string | undefined {
  if (slug === '') return 'Enter an address';
  if (slug.length > maxSlugLength) return `must have at most ${maxSlugLength} characters`;
  if (!/^[a-z0-9-]+$/.test(slug) || slug.startsWith('-') || slug.endsWith('-'))
    return 'must consist of the letters a to z, digits and hyphens, and start and end with a letter or digit';
  return isReservedSlug(slug) ? 'is reserved. Choose another one' : undefined;
}

/** Whether a workspace can have it as it is. */
export const isReservedSlug = (slug: string) => reserved.has(slug);

/** A variant for a slug that is reserved or taken. */
export const suffixedSlug = (slug: string) => `${slug}-${uuidv4().slice(0, 6)}`;
