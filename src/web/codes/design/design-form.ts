import type { Context } from 'koa';
import { type Design, normalizeDesign } from '../../../codes/design/design.ts';
import type { NewLogo } from '../../../codes/design/stored-logo.ts';
import { type Style, findStyle } from '../../../codes/styles/styles.ts';
import { findBrand } from '../../../codes/brand.ts';
import { patchBody } from '../../../codes/code-rules.ts';
import { AppError, type FieldError, invalid } from '../../../errors.ts';
import type { Caller } from '../../../runtime/fair-scheduler.ts';
import { designBody } from '../../../codes/design/design-schema.ts';
import { readLogo } from '../../../codes/files/read-upload.ts';
import { compileValidator } from '../../../codes/validation.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import { type CodeLook, lookFields } from '../../../codes/design/stored-design.ts';
import { type Refusal, refusalOf } from '../../ui/form.ts';
import type { Services } from '../../services.ts';
import type { Look } from '../../../codes/proof/prove-design.ts';
import type { WorkspaceId } from '../../../workspaces/workspace.ts';

/** The `styleId` of a form that was filled with the brand of the account. */
export const brandStart = 'brand';

const bodyErrors = compileValidator(designBody);
const lookErrors = compileValidator(patchBody);
const deletedStyle =
  'The template that this form was filled with was deleted meanwhile. Your choices are kept, but not its logo: check the logo, then save again.';

/** What a designer changes: the design of a code, of a new one, or of a template. */
export interface DesignSubject {
  workspaceId: WorkspaceId;
  /** The path of its pictures. */
  path: string;
  /** The code that is drawn. */
  look: Look;
  /** Drawn instead of a share link. */
  sample?: string;
  /** The id of the logo that it has. */
  findLogo(): Promise<string | null>;
}

export interface FormDesign {
  design: Design;
  /** Colors and error correction. */
  look: CodeLook;
  /** The logo that the form brings. */
  newLogo: NewLogo | undefined;
}

type ReadFile = (caller: Caller, workspaceId: WorkspaceId, file: Buffer) => Promise<NewLogo>;

/** Reads designs from the form of the designer. `readFile` decodes its logo. */
export function createDesignForm(
  { db, imageDecoder }: Pick<Services, 'db' | 'imageDecoder'>,
  readFile: ReadFile = (caller, workspaceId, file) => readLogo(imageDecoder, caller, workspaceId, file),
) {
  /** The logo of the template that the form was filled with, or else the stored one, unless the form removes it. */
  async function storedLogo(subject: DesignSubject, values: DesignValues): Promise<string | null> {
    if (values['removeLogo'] === 'on') return null;
    if (values['styleId'] === brandStart) return (await findBrand(db, subject.workspaceId))?.logo ?? null;
    if (values['styleId']) return (await usedStyle(subject.workspaceId, values['styleId'])).design.logo;
    return subject.findLogo();
  }

  /** It may have been deleted since the form was opened, which must not lose the other choices. */
  async function usedStyle(workspaceId: WorkspaceId, id: string): Promise<Style> {
    return findStyle(db, workspaceId, id).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      throw new AppError('validation_error', deletedStyle, { status: 404 });
    });
  }

  return {
    values: (ctx: Context): DesignValues =>
      Object.fromEntries(designFieldNames.map((name) => [name, field(ctx, name)])),

    /** With the logo that the form brings, or the stored one. Throws a validation error if it is not a design. */
    async read(ctx: Context, subject: DesignSubject, values: DesignValues): Promise<FormDesign> {
      const { design, look } = readDesign(values, subject.look);
      const file = fileField(ctx, 'logo')?.bytes;
      const newLogo = file && (await readFile(callerOf(ctx), subject.workspaceId, file));
      const logo = newLogo?.id ?? (await storedLogo(subject, values));
      return { design: { ...design, logo }, look, newLogo };
    },
  };
}

/** Whether a form has a designer: each sends the shape of the modules. */
export const hasDesign = (ctx: Context) => field(ctx, 'moduleShape') !== '';

/** Errors that can be found without looking at the design. */
export function designErrorsOf(values: DesignValues): FieldError[] {
  return [...lookErrors(givenLook(values)), ...bodyErrors(designBodyOf(values))];
}

function givenLook(values: DesignValues): Partial<CodeLook> {
  return Object.fromEntries(lookFields.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}

/** Colors that the form does not have stay as they are. */
function readDesign(values: DesignValues, former: CodeLook): { design: Design; look: CodeLook } {
  const errors = designErrorsOf(values);
  if (errors.length > 0) throw invalid(errors);
  const [given, body] = [givenLook(values), designBodyOf(values)];
  const { foregroundColor, backgroundColor, errorCorrection } = { ...former, ...given };
  return { design: normalizeDesign(body), look: { foregroundColor, backgroundColor, errorCorrection } };
}

/** Undefined for values that are no design. Any logo will do: only its place is needed. */
export function tryReadDesign(
  values: DesignValues,
  look: CodeLook,
  hasLogo: boolean,
): Pick<FormDesign, 'design' | 'look'> | undefined {
  try {
    const read = readDesign(values, look);
    return { ...read, design: { ...read.design, logo: hasLogo ? 'stored' : null } };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  }
}

/** Shows the designer again where a design cannot be saved, with the choices. */
export async function submitDesign(
  ctx: Context,
  values: DesignValues,
  work: () => Promise<void>,
  showAgain: (values: DesignValues, refusal: Refusal) => Promise<void> | void,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    await showAgain(values, designRefusal(error, fileField(ctx, 'logo') !== undefined));
  }
}

/** The form: each field as text, a check box as `on` or empty. */
export type DesignValues = Record<string, string>;

/** A color input always has a value, so a check box says whether the colors are used. */
const colorSwitches = {
  hasEyeColors: ['eyeFrameColor', 'eyeBallColor'],
  hasGradient: ['gradientColor'],
  hasFrameColors: ['frameColor', 'frameTextColor'],
} as const;

const choices = [
  'moduleShape',
  'eyeFrameShape',
  'eyeBallShape',
  'gradientShape',
  'gradientAngle',
  'quietZone',
  'frame',
  'frameText',
  'logoSize',
] as const;

export const designFieldNames: string[] = [
  ...lookFields,
  // Whether a template sets the colors of codes.
  'hasColors',
  ...choices,
  'transparentBackground',
  'removeLogo',
  // The id of the template that the page was filled with, or `brand`: its logo is used.
  'styleId',
  ...Object.entries(colorSwitches).flatMap(([box, colors]) => [box, ...colors]),
];

export function valuesOfDesign(design: Design, look: CodeLook): DesignValues {
  const { foregroundColor, backgroundColor, errorCorrection } = look;
  const values: DesignValues = {
    foregroundColor,
    backgroundColor,
    errorCorrection,
    transparentBackground: design.transparentBackground ? 'on' : '',
  };
  // What it looks like without colors of its own. The end of a gradient is another color, so that checking its box shows one.
  const initial = {
    eyeFrameColor: foregroundColor,
    eyeBallColor: foregroundColor,
    gradientColor: '#1d4ed8',
    frameColor: foregroundColor,
    frameTextColor: backgroundColor,
  };
  for (const name of choices) values[name] = String(design[name] ?? '');
  for (const [box, colors] of Object.entries(colorSwitches)) {
    values[box] = colors.some((name) => design[name] !== null) ? 'on' : '';
    for (const name of colors) values[name] = design[name] ?? initial[name];
  }
  return values;
}

/** A request body of the API, so that the same rules apply. */
function designBodyOf(values: DesignValues): Record<string, unknown> {
  const body: Record<string, unknown> = { transparentBackground: values['transparentBackground'] === 'on' };
  for (const name of choices) body[name] = values[name];
  for (const name of ['gradientAngle', 'quietZone', 'logoSize']) {
    const text = (values[name] ?? '').trim();
    body[name] = /^\d{1,6}$/.test(text) ? Number(text) : text;
  }
  const text = (values['frameText'] ?? '').trim();
  body['frameText'] = text === '' ? null : text;
  for (const [box, colors] of Object.entries(colorSwitches)) {
    for (const name of colors) body[name] = values[box] === 'on' ? values[name] : null;
  }
  return body;
}

/** Why a design was not saved. Browsers do not keep a chosen file. */
function designRefusal(error: unknown, hadFile: boolean): Refusal {
  const again = hadFile ? { again: 'Choose the logo again.' } : {};
  if (!(error instanceof AppError) || !error.details) return refusalOf(error, again);
  const errors = error.details.map(onForm);
  const shown = new Set([...designFieldNames, 'logo', 'styleName']);
  const others = errors.filter(({ field: name }) => !shown.has(name));
  const marked =
    others.length > 0 ? { marked: others.map(({ message }) => `The design ${message}.`).join(' ') } : {};
  return { ...refusalOf(error, { ...marked, ...again }), errors };
}

/** Colors are on this form, although they belong to the code. `name` is the name of a template. */
function onForm({ field: name, message }: FieldError): FieldError {
  return { field: name === 'name' ? 'styleName' : name, message: message.replace(/^of the code /, '') };
}
