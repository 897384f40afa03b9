import type { Context } from 'koa';
import { type Design, normalizeDesign } from '../../../codes/design/design.ts';
import type { NewLogo } from '../../../codes/logo/stored-logo.ts';
import { findStyle, type Style } from '../../../codes/styles/styles.ts';
import { AppError, invalid } from '../../../errors.ts';
import type { Caller } from '../../../runtime/fair-scheduler.ts';
import { designBody } from '../../../codes/design/design-schema.ts';
import { readLogo } from '../../../codes/files/read-upload.ts';
import { compileValidator } from '../../../codes/validation.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import type { PageParts } from '../../ui/page.ts';
import { DeletedStyleError } from './deleted-style-error.ts';
import type { DesignSubject } from './design-subject.ts';
import { designBodyOf, designFieldNames, type DesignValues } from './design-values.ts';

const bodyErrors = compileValidator(designBody);

interface FormDesign {
  design: Design;
  /** That the form brings. */
  newLogo: NewLogo | undefined;
}

type ReadFile = (caller: Caller, ownerId: string, file: Buffer) => Promise<NewLogo>;

/** Reads designs from the form of the designer. `readFile` decodes its logo. */
export function createDesignForm(
  { db, imageDecoder }: Pick<PageParts, 'db' | 'imageDecoder'>,
  readFile: ReadFile = (caller, ownerId, file) => readLogo(imageDecoder, caller, ownerId, file),
) {
  /** Of the style that the form was filled with, or else the stored one, unless the form removes it. */
  async function storedLogo(subject: DesignSubject, values: DesignValues): Promise<string | null> {
    if (values['removeLogo'] === 'on') return null;
    if (values['styleId']) return (await usedStyle(subject.ownerId, values['styleId'])).design.logo;
    return subject.findLogo();
  }

  /** It may have been deleted since the form was opened, which must not lose the other choices. */
  async function usedStyle(ownerId: string, id: string): Promise<Style> {
    return findStyle(db, ownerId, id).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      throw new DeletedStyleError();
    });
  }

  return {
    values: (ctx: Context): DesignValues =>
      Object.fromEntries(designFieldNames.map((name) => [name, field(ctx, name)])),

    /** With the logo that the form brings, or the stored one. Throws a validation error for what is no design. */
    async read(ctx: Context, subject: DesignSubject, values: DesignValues): Promise<FormDesign> {
      const given = readDesign(values);
      const file = fileField(ctx, 'logo')?.bytes;
      const newLogo = file && (await readFile(callerOf(ctx), subject.ownerId, file));
      return { design: { ...given, logo: newLogo?.id ?? (await storedLogo(subject, values)) }, newLogo };
    },
  };
}

function readDesign(values: DesignValues): Design {
  const body = designBodyOf(values);
  const errors = bodyErrors(body);
  if (errors.length > 0) throw invalid(errors);
  return normalizeDesign(body);
}
