import { findDesign } from '../../../codes/design/stored-design.ts';
import type { Look } from '../../../codes/proof/prove-design.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { exampleCode, type Style } from '../../../codes/styles/styles.ts';
import type { Database } from '../../../store/database.ts';

/** What a designer changes: the design of a code, or that of a style. */
export interface DesignSubject {
  ownerId: string;
  /** Of the designer. */
  path: string;
  /** The code that is drawn. */
  look: Look;
  /** The id of the logo that it has. */
  findLogo(): Promise<string | null>;
}

export function subjectOfCode(db: Database, code: QrCode): DesignSubject {
  return {
    ownerId: code.userId,
    path: `/codes/${code.id}/design`,
    look: code,
    findLogo: async () => (await findDesign(db, code.id))?.design.logo ?? null,
  };
}

export function subjectOfStyle({ id, userId, design }: Style): DesignSubject {
  return {
    ownerId: userId,
    path: `/codes/styles/${id}/design`,
    look: exampleCode,
    findLogo: async () => design.logo,
  };
}
