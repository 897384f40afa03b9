import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { findCode } from '../../../codes/codes.ts';
import { defaultDesign } from '../../../codes/design/design.ts';
import type { NewLogo } from '../../../codes/design/stored-logo.ts';
import type { ImageDecoder } from '../../../codes/files/image-decoder.ts';
import { readLogo } from '../../../codes/files/read-upload.ts';
import { pictureOf } from '../../../codes/proof/prove-design.ts';
import { shareUrl } from '../../../codes/share-token.ts';
import { findStyle } from '../../../codes/styles/styles.ts';
import { parseQuery } from '../../../http/parse-url.ts';
import type { Caller } from '../../../runtime/fair-scheduler.ts';
import { callerOf } from '../../middleware/caller.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { createRoutes, type Routes } from '../../routes.ts';
import type { Services } from '../../services.ts';
import { busyDrawing, onPaper, sendPicture } from '../picture-routes.ts';
import {
  createDesignForm,
  designFieldNames,
  type DesignSubject,
  type DesignValues,
  type FormDesign,
  valuesOfDesign,
} from './design-form.ts';
import { subjectOfCode, subjectOfNewCode, subjectOfNewStyle, subjectOfStyle } from './design-subject.ts';
import { encodeReading, readingHeader, readingOf, withRoomForLogo } from './reading.ts';
import type { WorkspaceId } from '../../../workspaces/workspace.ts';

/** The picture of what is designed, as it will be saved. */
export function designedPicture(
  { look: { shareToken, content }, sample }: DesignSubject,
  { design, look }: Pick<FormDesign, 'design' | 'look'>,
  baseUrl: string,
) {
  const { text: link, ...picture } = pictureOf({ shareToken, content, ...look }, design, baseUrl);
  const text = sample === undefined ? link : sample.padEnd(shareUrl(baseUrl, shareToken).length, '.');
  return withRoomForLogo({ ...picture, text }, content);
}

/** Pictures of designs that are not saved. */
export function designPreviewRoutes(parts: Services): Routes {
  const { db, config, images, imageDecoder } = parts;
  const routes = createRoutes();
  const form = createDesignForm(parts, createLogoPreviews(imageDecoder));

  async function sendPreview(ctx: Context, subject: DesignSubject, values: DesignValues): Promise<void> {
    const given = await form.read(ctx, subject, values);
    const picture = designedPicture(subject, given, config.baseUrl);
    const undrawable = await findUndrawable(ctx, given);
    ctx.set('Cache-Control', 'private, no-cache');
    ctx.set(readingHeader, encodeReading(readingOf(picture, undrawable)));
    // Without a text that would be boxes. What can be seen of the design is shown all the same.
    const design = undrawable === null ? picture.design : { ...picture.design, frameText: null };
    await sendPicture(ctx, images, onPaper({ ...picture, design, logo: given.newLogo?.png }));
  }

  async function findUndrawable(ctx: Context, { design }: FormDesign): Promise<string | null> {
    if (design.frame === 'none' || design.frameText === null) return null;
    return images.findUndrawable(callerOf(ctx), design.frameText).catch(busyDrawing);
  }

  function add(path: string, find: (workspaceId: WorkspaceId, id: string) => Promise<DesignSubject>) {
    const subjectOf = (ctx: Context) => find(workspaceIdOf(ctx), String(ctx['params'].id));

    routes.get('editor or demo', `${path}/preview.svg`, async (ctx) => {
      const subject = await subjectOf(ctx);
      const given = parseQuery(ctx.querystring);
      // Omitted fields get their default, as in the API.
      const values = valuesOfDesign(defaultDesign, subject.look);
      for (const name of designFieldNames) values[name] = given.get(name)?.[0] ?? values[name] ?? '';
      await sendPreview(ctx, subject, values);
    });

    /** With a logo that is not saved yet: design.browser.js sends the whole form. */
    routes.post('editor or demo', `${path}/preview`, async (ctx) =>
      sendPreview(ctx, await subjectOf(ctx), form.values(ctx)),
    );
  }

  // Before those with an id.
  add('/codes/new/design', async (workspaceId) => subjectOfNewCode(workspaceId));
  add('/codes/styles/new/design', async (workspaceId) => subjectOfNewStyle(workspaceId));
  add('/codes/:id/design', async (workspaceId, id) => subjectOfCode(db, await findCode(db, workspaceId, id)));
  add('/codes/styles/:id/design', async (workspaceId, id) =>
    subjectOfStyle(await findStyle(db, workspaceId, id)),
  );
  return routes;
}

const cacheBytes = 4 * 1024 * 1024;

/** Logos that owners look at before they save them. A file is decoded once, not for each change of the design. */
function createLogoPreviews(decoder: ImageDecoder) {
  const cache = new LRUCache<string, NewLogo>({
    maxSize: cacheBytes,
    sizeCalculation: ({ png }) => png.length,
  });
  /** Throws a validation error with the reason for a file that is no logo. */
  return async (caller: Caller, workspaceId: WorkspaceId, file: Buffer): Promise<NewLogo> => {
    const key = createHash('sha256').update(`${workspaceId}\n`).update(file).digest('base64url');
    const known = cache.get(key);
    if (known) return known;
    const logo = await readLogo(decoder, caller, workspaceId, file);
    cache.set(key, logo);
    return logo;
  };
}
