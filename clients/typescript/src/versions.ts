import type { RequestOptions } from './send.ts';

/** `ifMatch`: the ETag of the version to change. If it was changed since, the error has the status 412. */
export interface VersionOptions extends RequestOptions {
  ifMatch?: string;
}

export function matching(ifMatch: string | undefined): Record<string, string> {
  return ifMatch === undefined ? {} : { 'If-Match': ifMatch };
}
