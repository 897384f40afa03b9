import { findCode } from '../../../codes/codes.ts';
import { field } from '../../middleware/forms.ts';
import { type PageParts, show, userOf } from '../../ui/page.ts';
import { formPreview } from './form-preview.ts';
import { PhonePreview } from './phone-preview.tsx';
import { readForm } from './read-form.ts';
import { createRoutes, type Routes } from '../../routes.ts';

/** The preview of a form that is being filled in. Posted, because addresses end up in histories and logs. */
export function codePreviewRoutes(parts: PageParts): Routes {
  const routes = createRoutes('/codes');

  routes.post('user', '/preview', async (ctx) => {
    const id = field(ctx, 'code');
    const code = id === '' ? undefined : await findCode(parts.db, userOf(ctx).id, id);
    const csrfToken = field(ctx, 'csrfToken');
    show(ctx, PhonePreview, { shown: await formPreview(ctx, parts, readForm(ctx), { csrfToken, code }) });
  });
  return routes;
}
