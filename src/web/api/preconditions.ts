import { createHash } from 'node:crypto';
import { AppError } from '../../errors.ts';

/**
 * A strong validator: a hash of all that the owner of a resource can change and, after a dot, of what changes by itself.
 * `If-Match` compares only the first part, or no change of a busy code would succeed.
 */
export function etagOf(resource: object, changing?: object | number): string {
  if (changing === undefined) return `"${hashOf(resource)}"`;
  return `"${hashOf(resource)}.${typeof changing === 'number' ? changing : hashOf(changing)}"`;
}

function hashOf(resource: object): string {
  return createHash('sha256').update(JSON.stringify(resource)).digest('base64url').slice(0, 22);
}

/** Throws a 412 where `If-Match` names other versions only. A weak tag never matches (RFC 9110, section 13.1.1). */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined) return;
  const version = versionOf(etag);
  if (tagsIn(ifMatch).some((tag) => tag === '*' || versionOf(tag) === version)) return;
  throw new AppError(
    'validation_error',
    'It was changed since you read it. Read it again and repeat your change, with the new ETag in If-Match.',
    { status: 412, code: 'version_conflict' },
  );
}

/** Whether `If-None-Match` names this response, so that a 304 is enough. */
export function isKnown(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false;
  // A proxy that compresses makes the tag weak.
  return tagsIn(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** Our tags have no comma. */
function tagsIn(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}

function versionOf(etag: string): string {
  return etag.replace(/\.[\w-]+"$/, '"');
}
