import type { Context } from 'koa';
import { type Design, normalizeDesign, presets } from '../../../codes/design/design.ts';
import type { NewLogo } from '../../../codes/design/stored-logo.ts';
import { type Style, exampleCode, findStyle } from '../../../codes/styles/styles.ts';
import { AppError, type FieldError, invalid } from '../../../errors.ts';
import type { Caller } from '../../../runtime/fair-scheduler.ts';
import { designBody } from '../../../codes/design/design-schema.ts';
import { readLogo } from '../../../codes/files/read-upload.ts';
import { compileValidator } from '../../../codes/validation.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import { findDesign } from '../../../codes/design/stored-design.ts';
import type { Look } from '../../../codes/proof/prove-design.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import type { Database } from '../../../store/database.ts';
import { type Refusal, refusalOf } from '../../ui/form.ts';
import type { Services } from '../../services.ts';

const bodyErrors = compileValidator(designBody);
const deletedStyle =
  'The style that this form was filled with was deleted meanwhile. Your choices are kept, but not its logo: check the logo, then save again.';

interface FormDesign {
  design: Design;
  /** The logo that the form brings. */
  newLogo: NewLogo | undefined;
}

type ReadFile = (caller: Caller, ownerId: string, file: Buffer) => Promise<NewLogo>;

/** Reads designs from the form of the designer. `readFile` decodes its logo. */
export function createDesignForm(
  { db, imageDecoder }: Pick<Services, 'db' | 'imageDecoder'>,
  readFile: ReadFile = (caller, ownerId, file) => readLogo(imageDecoder, caller, ownerId, file),
) {
  /** The logo of the style that the form was filled with, or else the stored one, unless the form removes it. */
  async function storedLogo(subject: DesignSubject, values: DesignValues): Promise<string | null> {
    if (values['removeLogo'] === 'on') return null;
    if (values['styleId']) return (await usedStyle(subject.ownerId, values['styleId'])).design.logo;
    return subject.findLogo();
  }

  /** It may have been deleted since the form was opened, which must not lose the other choices. */
  async function usedStyle(ownerId: string, id: string): Promise<Style> {
    return findStyle(db, ownerId, id).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      throw new AppError('validation_error', deletedStyle, { status: 404 });
    });
  }

  return {
    values: (ctx: Context): DesignValues =>
      Object.fromEntries(designFieldNames.map((name) => [name, field(ctx, name)])),

    /** With the logo that the form brings, or the stored one. Throws a validation error if it is not a design. */
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

/** What a designer changes: the design of a code or of a style. */
export interface DesignSubject {
  ownerId: string;
  /** The path of the designer. */
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

export interface DesignerPictures {
  preview: string;
  presets: { key: string; name: string; picture: string }[];
}

/** The addresses of the pictures in a designer. */
export function designerPictures({ path, look }: DesignSubject, values: DesignValues): DesignerPictures {
  const address = (drawn: DesignValues) => `${path}/preview.svg?${previewQuery(drawn)}`;
  return {
    preview: address(values),
    presets: Object.entries(presets).map(([key, { name, design }]) => ({
      key,
      name,
      picture: address(valuesOfDesign(design, look)),
    })),
  };
}

/** The preset that a link of the designer chooses. */
export function chosenPreset(key: unknown) {
  return typeof key === 'string' && Object.hasOwn(presets, key) ? presets[key] : undefined;
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
  ...choices,
  'transparentBackground',
  'removeLogo',
  // The id of the style that the page was filled with: its logo is used.
  'styleId',
  ...Object.entries(colorSwitches).flatMap(([box, colors]) => [box, ...colors]),
];

interface Colors {
  foregroundColor: string;
  backgroundColor: string;
}

export function valuesOfDesign(design: Design, { foregroundColor, backgroundColor }: Colors): DesignValues {
  const values: DesignValues = { transparentBackground: design.transparentBackground ? 'on' : '' };
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

function previewQuery(values: DesignValues): string {
  return new URLSearchParams(designFieldNames.map((name) => [name, values[name] ?? ''])).toString();
}

/** Why a design was not saved. Browsers do not keep a chosen file. */
export function designRefusal(error: unknown, hadFile: boolean): Refusal {
  const again = hadFile ? { again: 'Choose the logo again.' } : {};
  if (!(error instanceof AppError) || !error.details) return refusalOf(error, again);
  // The only field that is called `name` in the rules.
  const errors = error.details.map((each) =>
    each.field === 'name' ? { ...each, field: 'styleName' } : each,
  );
  const shown = new Set([...designFieldNames, 'logo', 'styleName']);
  const others = errors.filter(({ field: name }) => !shown.has(name)).map(sentenceOf);
  const marked = others.length > 0 ? { marked: others.join(' ') } : {};
  return { ...refusalOf(error, { ...marked, ...again }), errors };
}

/** About a field that is on the page of the code. */
function sentenceOf({ field: name, message }: FieldError): string {
  const words = {
    foregroundColor: 'The foreground color',
    backgroundColor: 'The background color',
    errorCorrection: 'The error correction',
  };
  const subject = Object.hasOwn(words, name) ? words[name as keyof typeof words] : 'The design';
  return `${subject} ${message}.`;
}
