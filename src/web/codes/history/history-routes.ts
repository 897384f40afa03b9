import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import type { CodeType } from '../../../codes/content/content-types.ts';
import { findDesign } from '../../../codes/design/stored-design.ts';
import { findOwnLogo } from '../../../codes/design/stored-logo.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { shareUrl } from '../../../codes/share-token.ts';
import { findVersion, type Version, versionsOf } from '../../../history/changes.ts';
import {
  type CodeState,
  changedFields,
  compareWithVersion,
  latestVersion,
  noSuchVersion,
  type StateField,
  typeAtVersion,
} from '../../../history/code-state.ts';
import { findLastChange } from '../../../history/last-change.ts';
import { PutBackConflict, putBack } from '../../../history/put-back.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field } from '../../middleware/forms.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import type { Services } from '../../services.ts';
import { queryText, refusalOf, spendForm } from '../../ui/form.ts';
import { createPages } from '../../ui/page.ts';
import { withFieldsInWords } from '../../ui/words.tsx';
import { typesOfChange } from '../../history/change-lines.ts';
import { onPaper, sendPicture } from '../picture-routes.ts';
import { choiceField, choiceOf } from './choices.ts';
import { ChooseView, groupConflicts } from './choose-view.tsx';
import { CodeHistoryView, type ShownVersion } from './history-view.tsx';

const versionsPerPage = 30;
const flashTexts = {
  putBack: 'The earlier values were put back.',
  undone: 'Undone. The code is as it was before.',
};

interface Outcome {
  status?: number;
  error?: string;
  isUnchanged?: boolean;
}

/** The versions of a code, and the way back to them. */
export function codeHistoryPages(parts: Services): Routes {
  const { db, config, images, now, codeChanged } = parts;
  const routes = createRoutes('/codes/:id/history');
  const pages = createPages(parts, flashTexts);
  const ownCode = (ctx: Context) => findCode(db, workspaceIdOf(ctx), String(ctx['params'].id));
  const pathOf = (code: QrCode) => `/codes/${code.id}/history`;

  async function showHistory(
    ctx: Context,
    code: QrCode,
    { status = 200, ...outcome }: Outcome = {},
  ): Promise<void> {
    const before = readVersion(queryText(ctx, 'before'));
    const found = await versionsOf(db, code, { limit: versionsPerPage, before });
    const versions = found.slice(0, versionsPerPage);
    const [first, last] = [versions[0], versions.at(-1)];
    const type = first ? await typeAtVersion(db, code, first.version) : code.type;
    const undone = readVersion(queryText(ctx, 'undo'));
    const canUndo = ctx.method === 'GET' && undone !== undefined && pages.takeFlash(ctx) === 'putBack';
    const props = {
      code,
      versions: toShown(versions, type),
      now: now(),
      firstPage: before === undefined ? undefined : pathOf(code),
      nextPage: found.length > versionsPerPage ? `${pathOf(code)}?before=${last?.version}` : undefined,
      ...outcome,
    };
    // The version in the address, and not in a field, tells it from the other buttons.
    const undo = canUndo ? `${pathOf(code)}?version=${undone}` : undefined;
    pages.show(ctx, CodeHistoryView, props, { status, undo });
  }

  routes.get('viewer or demo', '/', async (ctx) => showHistory(ctx, await ownCode(ctx)));

  /** Undoes one entry: sets what it has changed to the values before it. */
  routes.post('editor', '/', async (ctx) => {
    const code = await ownCode(ctx);
    const number = readVersion(field(ctx, 'version') || queryText(ctx, 'version'));
    const entry = number === undefined ? undefined : await findVersion(db, code, number);
    if (entry?.action !== 'changed' || !entry.before) throw noSuchVersion();
    const seen = readVersion(field(ctx, 'seen'));
    const isOutdated = seen !== undefined && seen !== (await latestVersion(db, code));
    const chosen = seen === undefined || isOutdated ? undefined : chosenFields(ctx, entry);
    try {
      await spendForm(ctx, parts);
      const { code: changed, restored } = await putBack(parts, callerOf(ctx), code, {
        version: entry.version - 1,
        fields: changedFields(entry),
        ...chosen,
        now: now(),
      });
      if (restored.length === 0) return await showHistory(ctx, code, { isUnchanged: true });
      codeChanged(code.shareToken);
      if (field(ctx, 'version') === '') return pages.redirectWithFlash(ctx, pathOf(code), 'undone');
      const undo = await latestVersion(db, changed);
      pages.redirectWithFlash(ctx, `${pathOf(code)}?undo=${undo}`, 'putBack');
    } catch (error) {
      if (error instanceof PutBackConflict) return await showChoice(ctx, code, entry, error, isOutdated);
      const { errors, status, ...refusal } = refusalOf(error, { outcome: 'The change was not undone.' });
      const reasons = errors.map(({ field: name, message }) => `${withFieldsInWords(name)} ${message}`);
      const why = reasons.length > 0 ? `This change cannot be undone: ${reasons.join('; ')}.` : refusal.error;
      await showHistory(ctx, code, { status, ...(why !== undefined && { error: why }) });
    }
  });

  async function showChoice(
    ctx: Context,
    code: QrCode,
    entry: Version,
    { conflicts }: PutBackConflict,
    isOutdated: boolean,
  ): Promise<void> {
    const fields = changedFields(entry);
    const all = (await compareWithVersion(db, code, entry.version - 1)).filter(({ field: name }) =>
      fields.includes(name),
    );
    const groups = groupConflicts(conflicts, all);
    const props = {
      code,
      entry,
      types: typesOfChange(entry, await typeAtVersion(db, code, entry.version)),
      conflicts: await Promise.all(
        groups.map(async (group) => {
          const names = group.differences.map((difference) => difference.field);
          const [since, origin] = await Promise.all([
            findLastChange(db, code, names),
            findLastChange(db, code, names, entry.version - 1),
          ]);
          return { ...group, since, origin };
        }),
      ),
      others: all.filter((difference) => !groups.some(({ choice }) => choice === choiceOf(difference.field))),
      seen: await latestVersion(db, code),
      now: now(),
      isOutdated,
    };
    pages.show(ctx, ChooseView, props, { status: 409 });
  }

  /** How the code looked at a version; without one, how it looks now. */
  routes.get('viewer or demo', '/picture.svg', async (ctx) => {
    const code = await ownCode(ctx);
    const asked = queryText(ctx, 'version');
    const number = readVersion(asked);
    if (number === undefined && asked !== '') throw noSuchVersion();
    const differences = number === undefined ? [] : await compareWithVersion(db, code, number);
    const former: Partial<CodeState> = Object.fromEntries(
      differences.map(({ field: name, former: value }) => [name, value]),
    );
    const { foregroundColor, backgroundColor, errorCorrection } = { ...code, ...former };
    const stored = former.design === undefined ? (await findDesign(db, code.id))?.design : former.design;
    const hasLogo = stored?.logo && (await findOwnLogo(db, code.workspaceId, stored.logo));
    ctx.set('Cache-Control', 'private, no-cache');
    await sendPicture(
      ctx,
      images,
      onPaper({
        text: shareUrl(config.baseUrl, code.shareToken),
        size: code.size,
        foregroundColor,
        backgroundColor,
        errorCorrection,
        // A logo that is no longer stored cannot be shown.
        design: stored ? { ...stored, logo: hasLogo ? stored.logo : null } : undefined,
      }),
    );
  });
  return routes;
}

/** The fields of an entry to put back, after the person has decided about those that were changed again. */
function chosenFields(ctx: Context, entry: Version): { fields: StateField[]; overwrite: StateField[] } {
  const choice = (name: StateField) => field(ctx, choiceField(choiceOf(name)));
  const fields = changedFields(entry).filter((name) => choice(name) !== 'now');
  return { fields, overwrite: fields.filter((name) => choice(name) === 'then') };
}

const maxVersion = 2_147_483_647;

/** Undefined unless it is the number of a version, or 0 for the state before the first one. */
function readVersion(text: string): number | undefined {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  return number !== undefined && number <= maxVersion ? number : undefined;
}

/** `type`: that of the code after the first, which is the latest. */
function toShown(versions: Version[], type: CodeType): ShownVersion[] {
  let after = type;
  return versions.map((version, index) => {
    const types = typesOfChange(version, after);
    after = types.before ?? after;
    return { version, types, reverted: findReverted(version, versions.slice(index + 1)) };
  });
}

/** The latest of the earlier versions whose former values this one has set again. */
function findReverted(version: Version, earlier: Version[]): Version | undefined {
  const values = Object.entries(version.after ?? {});
  // Of a mark with two values, every second change would be one.
  if (version.action !== 'changed' || values.every(([, value]) => typeof value === 'boolean'))
    return undefined;
  return earlier.find(
    ({ action, before }) =>
      action === 'changed' &&
      before !== null &&
      values.every(([name, value]) => name in before && isDeepStrictEqual(before[name], value)),
  );
}
