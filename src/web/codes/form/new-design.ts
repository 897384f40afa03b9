import type { ParsedUrlQuery } from 'node:querystring';
import { defaultDesign } from '../../../codes/design/design.ts';
import { findBrand } from '../../../codes/brand.ts';
import { findDefaultStyle, findStyles } from '../../../codes/styles/styles.ts';
import type { Database } from '../../../store/database.ts';
import type { Services } from '../../services.ts';
import { type DesignValues, brandStart, valuesOfDesign } from '../design/design-form.ts';
import { chosenPreset, startValues, styleValues, subjectOfNewCode } from '../design/design-subject.ts';
import { designerPictures } from '../design/designer-pictures.ts';
import type { WorkspaceId } from '../../../workspaces/workspace.ts';

/** What the designer of a new code starts with: what a link has chosen, or else the default template. */
export async function newDesign(
  db: Database,
  workspaceId: WorkspaceId,
  query: ParsedUrlQuery,
): Promise<DesignValues> {
  const { look } = subjectOfNewCode(workspaceId);
  const { preset, styleId } = query;
  const chosen = chosenPreset(preset);
  const values = valuesOfDesign(chosen?.design ?? defaultDesign, look);
  if (chosen) return values;
  if (typeof styleId === 'string')
    return { ...values, ...(await startValues(db, workspaceId, styleId, look)) };
  const style = await findDefaultStyle(db, workspaceId);
  return { ...values, ...(style && styleValues(style, look)) };
}

/** What the designer of a new code shows. A template that was deleted meanwhile is left out. */
export async function newDesignPictures(
  { db, config }: Services,
  workspaceId: WorkspaceId,
  given: DesignValues,
) {
  const styles = await findStyles(db, workspaceId);
  const brand = await findBrand(db, workspaceId);
  const used = styles.find(({ id }) => id === given['styleId']);
  const isBrand = brand !== undefined && given['styleId'] === brandStart;
  const values = { ...given, styleId: isBrand ? brandStart : (used?.id ?? '') };
  const logo = isBrand ? brand.logo : (used?.design.logo ?? null);
  const shown = { styles, brand, values, logo };
  const pictures = designerPictures(subjectOfNewCode(workspaceId), shown, config.baseUrl);
  return {
    values,
    pageColor: brand?.pageColor ?? undefined,
    ...pictures,
    note: 'A sample: the code gets its own picture when you create it.',
  };
}
