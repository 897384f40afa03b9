import { type Brand, findBrand } from '../../../codes/brand.ts';
import { createDefaults } from '../../../codes/code-rules.ts';
import { presets } from '../../../codes/design/design.ts';
import { findDesign } from '../../../codes/design/stored-design.ts';
import type { Look } from '../../../codes/proof/prove-design.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { type Style, exampleCode, findStyle, lookOfStyle } from '../../../codes/styles/styles.ts';
import type { Database } from '../../../store/database.ts';
import {
  type DesignSubject,
  type DesignValues,
  brandStart,
  designFieldNames,
  valuesOfDesign,
} from './design-form.ts';
import type { WorkspaceId } from '../../../workspaces/workspace.ts';

export function subjectOfCode(db: Database, code: QrCode): DesignSubject {
  return {
    workspaceId: code.workspaceId,
    path: `/codes/${code.id}/design`,
    look: code,
    findLogo: async () => (await findDesign(db, code.id))?.design.logo ?? null,
  };
}

export function subjectOfStyle(style: Style): DesignSubject {
  return {
    workspaceId: style.workspaceId,
    path: `/codes/styles/${style.id}/design`,
    look: lookOfStyle(style),
    findLogo: async () => style.design.logo,
  };
}

export function subjectOfNewStyle(workspaceId: WorkspaceId): DesignSubject {
  return { workspaceId, path: '/codes/styles/new/design', look: exampleCode, findLogo: async () => null };
}

/** Every share link is at least as long. */
const sample = 'Sample: not saved yet';

/** A code without a share link: nobody should print its picture, or scan it and find nothing. */
export function subjectOfNewCode(workspaceId: WorkspaceId): DesignSubject {
  const { foregroundColor, backgroundColor, errorCorrection } = createDefaults;
  return {
    workspaceId,
    path: '/codes/new/design',
    look: { ...exampleCode, foregroundColor, backgroundColor, errorCorrection },
    sample,
    findLogo: async () => null,
  };
}

/** A design to start from. */
export interface Start {
  /** Of the link that chooses it. */
  query: string;
  name: string;
  picture: string;
  /** The fields of the form that it changes. */
  values: DesignValues;
  hasLogo: boolean;
}

/** What an account has to start from. */
export interface OwnStarts {
  styles: Style[];
  brand: Brand | undefined;
}

/** The designs to start from: the brand and the templates of the account, then those of the service. */
export function startsOf(
  subject: DesignSubject,
  { styles, brand }: OwnStarts,
  values: DesignValues,
): Start[] {
  const { path, look } = subject;
  // The presets have no colors of their own, and are shown in those of the form.
  const colors = pick(values, ['foregroundColor', 'backgroundColor']);
  return [
    ...(brand ? [brandStartOf(path, brand, values)] : []),
    ...styles.map((style) => ({
      query: `styleId=${style.id}`,
      name: style.name,
      picture: `/codes/styles/${style.id}/picture.svg?v=${style.updatedAt.getTime()}`,
      values: styleValues(style, look),
      hasLogo: style.design.logo !== null,
    })),
    ...Object.entries(presets).map(([key, { name, design }]) => {
      const { foregroundColor, backgroundColor, errorCorrection, ...shapes } = valuesOfDesign(design, look);
      return {
        query: `preset=${key}`,
        name,
        picture: previewAddress(path, {
          foregroundColor: colors['foregroundColor'] ?? String(foregroundColor),
          backgroundColor: colors['backgroundColor'] ?? String(backgroundColor),
          errorCorrection: String(errorCorrection),
          ...shapes,
        }),
        values: { ...shapes, styleId: '' },
        hasLogo: false,
      };
    }),
  ];
}

/** The colors and the logo of the brand, in the shapes that are chosen. */
function brandStartOf(path: string, brand: Brand, values: DesignValues): Start {
  const filled = brandValues(brand);
  return {
    query: `styleId=${brandStart}`,
    name: 'Your brand',
    picture: previewAddress(path, { ...values, ...filled }),
    values: filled,
    hasLogo: brand.logo !== null,
  };
}

function brandValues({ foregroundColor, backgroundColor }: Brand): DesignValues {
  return {
    foregroundColor,
    backgroundColor,
    hasColors: 'on',
    hasGradient: '',
    hasEyeColors: '',
    hasFrameColors: '',
    removeLogo: '',
    styleId: brandStart,
  };
}

/** What a template fills in: its design, and its colors if it has any. */
export function styleValues(style: Style, look: Look): DesignValues {
  const own = style.foregroundColor === null ? look : { ...look, ...lookOfStyle(style) };
  const {
    foregroundColor,
    backgroundColor,
    errorCorrection: _kept,
    ...rest
  } = valuesOfDesign(style.design, own);
  const colors = style.foregroundColor === null ? {} : { foregroundColor, backgroundColor };
  return { ...rest, ...(colors as DesignValues), styleId: style.id };
}

/** What the template that a link names fills in, or the brand. Throws if there is no such template. */
export async function startValues(
  db: Database,
  workspaceId: WorkspaceId,
  styleId: string,
  look: Look,
): Promise<DesignValues> {
  if (styleId !== brandStart) return styleValues(await findStyle(db, workspaceId, styleId), look);
  const brand = await findBrand(db, workspaceId);
  return brand ? brandValues(brand) : {};
}

/** The preset that a link of the designer chooses. */
export function chosenPreset(key: unknown) {
  return typeof key === 'string' && Object.hasOwn(presets, key) ? presets[key] : undefined;
}

export function previewAddress(path: string, values: DesignValues): string {
  const query = new URLSearchParams(designFieldNames.map((name) => [name, values[name] ?? '']));
  return `${path}/preview.svg?${query.toString()}`;
}

function pick(values: DesignValues, names: string[]): DesignValues {
  return Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}
