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
import { refusedByLimit, spendForm } from '../../form-quota.ts';
import { field } from '../../middleware/forms.ts';
import { type PageParts, redirect, show, userOf, visitorOf } from '../../ui/page.ts';
import { readSelection } from '../print/selection.ts';
import { ApplicationView } from './application-view.tsx';
import { ApplyView } from './apply-view.tsx';
import { createRoutes, type Routes } from '../../routes.ts';

interface Choice {
  chosen?: string;
  problem?: string;
  status?: number;
  missing?: number;
}

/** Applies a style to codes that were chosen in the list, and shows how far it is. */
export function styleApplyPages(parts: PageParts): Routes {
  const { db, now } = parts;
  const routes = createRoutes('/codes/styles');

  async function showChoice(
    ctx: Context,
    codes: QrCode[],
    { chosen = '', problem, status, missing = 0 }: Choice,
  ): Promise<void> {
    show(
      ctx,
      ApplyView,
      {
        visitor: visitorOf(ctx, parts),
        codes,
        styles: await findStyles(db, userOf(ctx).id),
        chosen,
        problem,
        missing,
      },
      status ?? (problem ? 400 : 200),
    );
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
      return showChoice(ctx, codes, codes.length > 0 ? { problem: 'Choose a style.' } : {});
    const style = await findStyle(db, ownerId, chosen);
    try {
      await spendForm(ctx, parts);
      const wanted = { styleId: style.id, codeIds: codes.map(({ id }) => id) };
      const { id } = await requireApplication(db, ownerId, wanted, now());
      redirect(ctx, `/codes/styles/applications/${id}`);
    } catch (error) {
      const refused = refusedByLimit(error);
      if (refused) return showChoice(ctx, codes, { chosen: style.id, ...refused });
      if (!(error instanceof AppError) || !error.details) throw error;
      const problem = `These codes ${error.details.map(({ message }) => message).join('. ')}.`;
      await showChoice(ctx, codes, { chosen: style.id, problem });
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
    show(ctx, ApplicationView, {
      visitor: visitorOf(ctx, parts),
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
