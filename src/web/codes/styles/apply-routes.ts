import type { Context } from 'koa';
import { findCodes } from '../../../codes/find-codes.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import {
  findApplication,
  maxAppliedCodes,
  requireApplication,
} from '../../../codes/styles/style-applications.ts';
import { findStyle, findStyles } from '../../../codes/styles/styles.ts';
import { AppError } from '../../../errors.ts';
import { field } from '../../middleware/forms.ts';
import { type Refusal, refusalOf, spendForm } from '../../ui/form.ts';
import { createPages, type PageParts, redirect, userOf } from '../../ui/page.ts';
import { readSelection } from '../print/selection.ts';
import { ApplicationView, ApplyView } from './apply-view.tsx';
import { createRoutes, type Routes } from '../../routes.ts';

interface Choice extends Partial<Refusal> {
  chosen?: string;
  missing?: number;
}

/** Applies a style to codes that were chosen in the list, and shows how far it is. */
export function styleApplyPages(parts: PageParts): Routes {
  const { db, now } = parts;
  const routes = createRoutes('/codes/styles');

  const pages = createPages(parts);

  async function showChoice(ctx: Context, codes: QrCode[], choice: Choice): Promise<void> {
    const { chosen = '', missing = 0, error, status = 200 } = choice;
    const form = { values: { styleId: chosen }, errors: [], error };
    const styles = await findStyles(db, userOf(ctx).id);
    pages.show(ctx, ApplyView, { codes, styles, form, missing }, { status });
  }

  routes.get('user', '/apply', async (ctx) => {
    const { codes, missing } = await readSelection(ctx, parts);
    if (codes.length > maxAppliedCodes)
      throw new AppError(
        'validation_error',
        `A style is applied to at most ${maxAppliedCodes} codes at a time.`,
      );
    await showChoice(ctx, codes, { missing });
  });

  routes.post('user', '/apply', async (ctx) => {
    const { id: ownerId } = userOf(ctx);
    const given = field(ctx, 'codeIds').split(',', maxAppliedCodes);
    const { codes } = await findCodes(db, ownerId, [...new Set(given)]);
    const chosen = field(ctx, 'styleId');
    if (chosen === '' || codes.length === 0)
      return showChoice(ctx, codes, codes.length > 0 ? { error: 'Choose a style.', status: 400 } : {});
    const style = await findStyle(db, ownerId, chosen);
    try {
      await spendForm(ctx, parts);
      const wanted = { styleId: style.id, codeIds: codes.map(({ id }) => id) };
      const { id } = await requireApplication(db, ownerId, wanted, now());
      redirect(ctx, `/codes/styles/applications/${id}`);
    } catch (error) {
      const details = error instanceof AppError ? error.details : undefined;
      const refusal = details
        ? { error: `These codes ${details.map(({ message }) => message).join('. ')}.`, status: 400 }
        : refusalOf(error);
      await showChoice(ctx, codes, { chosen: style.id, ...refusal });
    }
  });

  routes.get('user', '/applications/:id', async (ctx) => {
    const ownerId = userOf(ctx).id;
    const application = await findApplication(db, ownerId, String(ctx['params'].id));
    const style = await findStyle(db, ownerId, application.styleId);
    const { codes } = await findCodes(
      db,
      ownerId,
      application.refused.map(({ codeId }) => codeId),
    );
    const names = new Map(codes.map(({ id, name }) => [id, name]));
    pages.show(ctx, ApplicationView, {
      application,
      style,
      refused: application.refused.map(({ codeId, reason }) => ({
        id: codeId,
        name: names.get(codeId) ?? '',
        reason,
      })),
    });
  });
  return routes;
}
