import { findOrCreateUser } from '../../src/accounts/users.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createCode } from '../../src/codes/codes.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

export interface SoakCode {
  id: string;
  shareToken: string;
}

/** Link codes that nobody has scanned yet. */
export async function createCodes(databaseUrl: string, count: number): Promise<SoakCode[]> {
  const db = openDatabase(databaseUrl, { poolMax: 4, applicationName: 'soak' });
  try {
    const now = new Date();
    const owner = await findOrCreateUser(db, 'soak@example.com', now);
    const limits = { ...defaultLimits, free: { ...defaultLimits.free, codes: count } };
    const codes: SoakCode[] = [];
    for (let made = 0; made < count; made += 1) {
      const { id, shareToken } = await createCode(
        db,
        ownWorkspaceId(owner),
        {
          name: `Code ${made}`,
          type: 'url',
          content: 'https://example.com/target',
          foregroundColor: '#000000',
          backgroundColor: '#ffffff',
          size: 512,
          errorCorrection: 'M',
          category: null,
        },
        { lifetimeDays: 365, limits, now },
      );
      codes.push({ id, shareToken });
    }
    return codes;
  } finally {
    await db.destroy();
  }
}
