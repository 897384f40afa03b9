import type { Context } from 'koa';
import { findCodes } from '../../../codes/find-codes.ts';
import { normalizeLabel } from '../../../codes/label.ts';
import {
  type Style,
  changeStyle,
  findStyle,
  findStyles,
  removeStyle,
  stylePicture,
} from '../../../codes/styles/styles.ts';
import {
  findApplication,
  findRecentApplications,
  findRunningApplication,
  maxAppliedCodes,
  requireApplication,
} from '../../../codes/styles/style-applications.ts';
import { AppError, type FieldError } from '../../../errors.ts';
import { field } from '../../middleware/forms.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import { type Refusal, labelErrors, refusalOf, requireValid, spendForm, submit } from '../../ui/form.ts';
import type { Services } from '../../services.ts';
import { withTemplates } from '../../ui/words.tsx';
import { createPages, redirect } from '../../ui/page.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { onPaper, sendPicture } from '../picture-routes.ts';
import { readSelection } from '../print/selection.ts';
import { ApplicationView, ApplyView } from './apply-view.tsx';
import {
  DeleteStyleView,
  StyleView,
  StylesView,
  maxStyleNameLength,
  stylesFlashTexts,
} from './styles-view.tsx';

const home = '/codes/styles';

interface Choice extends Partial<Refusal> {
  chosen?: string;
  missing?: number;
}

/** Styles: apply to codes that were chosen in the list; list, rename, make one the default, delete. */
export function stylePages(parts: Services): Routes {
  const { db, config, images, now } = parts;
  const routes = createRoutes(home);

  const ownStyle = (ctx: Context) => findStyle(db, workspaceIdOf(ctx), String(ctx['params'].id));
  const pages = createPages(parts, stylesFlashTexts);

  async function showChoice(ctx: Context, codes: QrCode[], choice: Choice): Promise<void> {
    const { chosen = '', missing = 0, error, status = 200 } = choice;
    const form = { values: { styleId: chosen }, errors: [], error };
    const styles = await findStyles(db, workspaceIdOf(ctx));
    pages.show(ctx, ApplyView, { codes, styles, form, missing }, { status });
  }

  async function showSelected(ctx: Context): Promise<void> {
    const { codes, missing } = await readSelection(ctx, parts);
    if (codes.length > maxAppliedCodes)
      throw new AppError(
        'validation_error',
        `A template is applied to at most ${maxAppliedCodes} codes at a time. Select fewer.`,
      );
    await showChoice(ctx, codes, { missing });
  }

  routes.get('editor or demo', '/apply', showSelected);

  routes.post('editor', '/apply', async (ctx) => {
    const workspaceId = workspaceIdOf(ctx);
    // From the list, with more codes than an address can hold.
    if (field(ctx, 'codes') !== '') return showSelected(ctx);
    const given = field(ctx, 'codeIds').split(',', maxAppliedCodes);
    const { codes } = await findCodes(db, workspaceId, [...new Set(given)]);
    const chosen = field(ctx, 'styleId');
    if (chosen === '' || codes.length === 0)
      return showChoice(ctx, codes, codes.length > 0 ? { error: 'Choose a template.', status: 400 } : {});
    const style = await findStyle(db, workspaceId, chosen);
    try {
      await spendForm(ctx, parts);
      const wanted = { styleId: style.id, codeIds: codes.map(({ id }) => id) };
      const { id } = await requireApplication(db, workspaceId, wanted, now());
      redirect(ctx, `/codes/styles/applications/${id}`);
    } catch (error) {
      const details = error instanceof AppError ? error.details : undefined;
      const refusal = details
        ? {
            error: `These codes ${details.map(({ message }) => withTemplates(message)).join('. ')}.`,
            status: 400,
          }
        : refusalOf(error);
      await showChoice(ctx, codes, { chosen: style.id, ...refusal });
    }
  });

  routes.get('editor', '/applications/:id', async (ctx) => {
    const workspaceId = workspaceIdOf(ctx);
    const application = await findApplication(db, workspaceId, String(ctx['params'].id));
    const style = await findStyle(db, workspaceId, application.styleId);
    const { codes } = await findCodes(
      db,
      workspaceId,
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

  routes.get('viewer or demo', '/', async (ctx) => {
    const workspaceId = workspaceIdOf(ctx);
    pages.show(ctx, StylesView, {
      styles: await findStyles(db, workspaceId),
      running: await findRunningApplication(db, workspaceId),
      applications: await findRecentApplications(db, workspaceId, now()),
    });
  });

  function showStyle(ctx: Context, style: Style, name = style.name, errors: FieldError[] = []): void {
    const error = errors.length > 0 ? 'Not saved. Check the marked field.' : undefined;
    const form = { values: { name }, errors, error };
    pages.show(ctx, StyleView, { style, form }, { status: error ? 400 : 200 });
  }

  routes.get('viewer or demo', '/:id', async (ctx) => showStyle(ctx, await ownStyle(ctx)));

  routes.post('editor', '/:id/rename', async (ctx) => {
    const style = await ownStyle(ctx);
    const name = normalizeLabel(field(ctx, 'name'));
    const rename = async () => {
      requireValid(labelErrors('name', name, maxStyleNameLength, 'Enter a name'));
      await changeStyle(db, style.workspaceId, style.id, { name }, now());
      pages.redirectWithFlash(ctx, `${home}/${style.id}`, 'renamed');
    };
    await submit(rename, (errors) => showStyle(ctx, style, name, errors));
  });

  routes.post('editor', '/:id/default', async (ctx) => {
    const style = await ownStyle(ctx);
    const isDefault = field(ctx, 'isDefault') === 'true';
    await changeStyle(db, style.workspaceId, style.id, { isDefault }, now());
    pages.redirectWithFlash(ctx, home, isDefault ? 'isDefault' : 'noDefault');
  });

  routes.get('editor', '/:id/delete', async (ctx) => {
    pages.show(ctx, DeleteStyleView, { style: await ownStyle(ctx) });
  });

  routes.post('editor', '/:id/delete', async (ctx) => {
    const style = await ownStyle(ctx);
    await removeStyle(db, style.workspaceId, style.id);
    pages.redirectWithFlash(ctx, home, 'deleted');
  });

  routes.get('viewer or demo', '/:id/picture.svg', async (ctx) => {
    ctx.set('Cache-Control', 'private, no-cache');
    await sendPicture(ctx, images, onPaper(stylePicture(await ownStyle(ctx), config.baseUrl)));
  });
  return routes;
}
