import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The folder, or its nearest existing parent, and the error code if this user cannot write there. Creates nothing. */
export async function findNearestFolder(
  wanted: string,
): Promise<{ path: string; error: string | undefined }> {
  for (let path = wanted; ; path = dirname(path)) {
    try {
      const isFolder = (await stat(path)).isDirectory();
      if (isFolder) await access(path, constants.W_OK | constants.X_OK);
      return { path, error: isFolder ? undefined : 'ENOTDIR' };
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' || path === dirname(path)) return { path, error: code };
    }
  }
}
