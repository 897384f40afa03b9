import { findCode } from '../codes.ts';
import { designErrors } from '../scannability.ts';
import type { Design } from '../design/design.ts';
import {
  type CodeLook,
  findDesign,
  lookFields,
  type ProvenChange,
  type ProvenDesign,
} from '../design/stored-design.ts';
import { type Proofs, provenPicture } from './proofs.ts';
import { distanceCm, type Proof, provenSizesMm } from './proof.ts';
import type { Picture } from '../image/draw.ts';
import type { NewLogo } from '../design/stored-logo.ts';
import { type ErrorCorrection, errorCorrections, type QrCode } from '../qr-code.ts';
import { shareUrl } from '../share-token.ts';
import { BusyError, type FieldError, invalid } from '../../errors.ts';
import type { Caller } from '../../runtime/fair-scheduler.ts';
import type { Database } from '../../store/database.ts';
import { correctableCodewords, countCodewords, countModules, fitsSymbol } from '../image/symbol.ts';
import { coveredModules } from '../design/compose.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';

/** Code fields that a proof depends on. */
export type Look = Pick<QrCode, 'shareToken' | 'content'> & CodeLook;

const retryAfterSeconds = 5;

/** The size does not matter for a proof. */
export function pictureOf(code: Look, design: Design, baseUrl: string) {
  const { errorCorrection, foregroundColor, backgroundColor } = code;
  const text = shareUrl(baseUrl, code.shareToken);
  return { text, errorCorrection, foregroundColor, backgroundColor, size: 512, design };
}

interface ProofOptions {
  /** A logo that is not stored yet; the design has its id. */
  newLogo?: NewLogo | undefined;
  /** Reject the design instead of raising the error correction for a logo. */
  keepsErrorCorrection?: boolean;
  /** What the code gets together with the design. */
  changes?: Partial<CodeLook>;
}

/**
 * Throws a validation error with the reason if phones could not read the code in this design. With a logo, the error
 * correction is raised as far as needed.
 */
export async function proveDesign(
  proofs: Proofs,
  caller: Caller,
  stored: Look,
  design: Design,
  baseUrl: string,
  { newLogo, keepsErrorCorrection = false, changes }: ProofOptions = {},
): Promise<ProvenDesign & { proof: string }> {
  const code = { ...stored, ...changes };
  const errors = designErrors(design, code);
  if (errors.length > 0) throw unreadable(errors);
  const { foregroundColor, backgroundColor } = code;
  const wanted = { ...pictureOf(code, design, baseUrl), logo: newLogo?.png };
  let refused: FieldError | undefined;
  for (const errorCorrection of levelsFor(code, wanted, keepsErrorCorrection)) {
    const picture = { ...wanted, errorCorrection };
    const proof = await proofs.prove(caller, picture).catch((cause: unknown) => {
      throw new BusyError('The design cannot be proven right now. Try again shortly.', {
        retryAfterSeconds,
        cause,
      });
    });
    const { readsAtMm } = proof;
    if (readsAtMm !== null) {
      const raised = raisedSentence(code.errorCorrection, errorCorrection);
      const sentence = `${describeProof(readsAtMm, proof.remedy)}${raised}`;
      const colors = { foregroundColor, backgroundColor };
      return {
        design,
        readsAtMm,
        proven: provenPicture(picture),
        look: lookOf(stored),
        colors: changes && colors,
        errorCorrection,
        newLogo,
        proof: sentence,
      };
    }
    refused ??= refusal(proof, picture);
  }
  throw unreadable(refused ? [refused] : []);
}

function lookOf({ foregroundColor, backgroundColor, errorCorrection }: CodeLook): CodeLook {
  return { foregroundColor, backgroundColor, errorCorrection };
}

/** Levels to try. Without a logo, only the level of the code. */
function levelsFor(
  code: Pick<Look, 'errorCorrection' | 'content'>,
  { text, design }: Picture,
  keepsIt: boolean,
): ErrorCorrection[] {
  const { errorCorrection: wanted, content } = code;
  if (!design || design.logo === null) return [wanted];
  const levels = levelsWithLogo({ text, content }, wanted, design);
  const [least] = levels;
  if (least === undefined) {
    const message = `${design.logoSize} needs more error correction than the content leaves room for: choose a smaller one, or shorten the content`;
    throw unreadable([{ field: 'logoSize', message }]);
  }
  if (!keepsIt) return levels;
  if (least === wanted) return [wanted];
  const message = `must be at least ${least} with a logo of this size: choose it, or a smaller logo first`;
  throw unreadable([{ field: 'errorCorrection', message }]);
}

const unreadable = (errors: FieldError[]) => invalid(errors, { code: 'design_unreadable' });

function raisedSentence(from: ErrorCorrection, to: ErrorCorrection): string {
  return from === to
    ? ''
    : ` The error correction of the code was raised from ${from} to ${to}, because the logo covers modules.`;
}

/** Whether a change of a code alters the picture of its design. */
export const changesLook = (changes: Partial<Look>) =>
  lookFields.some((field) => changes[field] !== undefined);

/** Proves the design of a code again if the changes alter its picture. Undefined if no proof is needed. */
export async function proveChange(
  { db, proofs, config }: { db: Database; proofs: Proofs; config: { baseUrl: string } },
  workspaceId: WorkspaceId,
  id: string,
  changes: Partial<Look>,
): Promise<ProvenChange | undefined> {
  if (!changesLook(changes)) return undefined;
  const code = await findCode(db, workspaceId, id);
  const stored = await findDesign(db, code.id);
  if (!stored) return undefined;
  const { shareToken, content, errorCorrection, foregroundColor, backgroundColor } = code;
  const look = { shareToken, content, errorCorrection, foregroundColor, backgroundColor, ...changes };
  const { proof: _proof, ...proven } = await proveDesign(
    proofs,
    { key: workspaceId },
    look,
    stored.design,
    config.baseUrl,
    {
      keepsErrorCorrection: true,
    },
  );
  return { ...proven, savedAt: stored.updatedAt };
}

export function describeProof(readsAtMm: number, remedy: Proof['remedy'] = null): string {
  const sentence = `Reads at ${readsAtMm} mm from ${distanceCm} cm.`;
  if (!remedy) return sentence;
  const change = remedy.value === 'null' ? `Without ${remedy.field}` : `With ${remedy.field} ${remedy.value}`;
  return `${sentence} ${change} it can be printed smaller.`;
}

function refusal({ undrawable, remedy }: Proof, picture: object): FieldError {
  if (undrawable !== null) return undrawableError(undrawable);
  const reason = `is not read by phones, even printed ${Math.max(...provenSizesMm)} mm wide`;
  if (!remedy)
    return { field: 'body', message: `${reason}: start from the defaults and change one field at a time` };
  const { field, value } = remedy;
  const own = lookFields.some((name) => name === field) ? 'of the code ' : '';
  const shown = shownValue(picture, field);
  const change = value === 'null' ? 'without it, the design is' : `${value} is`;
  return { field, message: `${own}${shown}${reason} in this design; ${change}` };
}

export function undrawableError(character: string): FieldError {
  return { field: 'frameText', message: `must not contain ${character}, which the fonts do not have` };
}

/** Such as `dots `; empty for a color that is not set. */
function shownValue(picture: object, field: string): string {
  const { design, ...rest } = picture as { design: object };
  const value = ({ ...rest, ...design } as Record<string, string | number | null>)[field];
  return value === null || value === undefined ? '' : `${String(value)} `;
}

/** Share of the correctable codewords; the rest is for dirt and scratches. */
const shareForLogo = 0.6;

/** Levels that leave room for the logo, from the wanted one up. `text` is what the code encodes. */
export function levelsWithLogo(
  { text, content }: { text: string; content: string },
  wanted: ErrorCorrection,
  { logoSize }: Pick<Design, 'logoSize'>,
): ErrorCorrection[] {
  return errorCorrections.slice(errorCorrections.indexOf(wanted)).filter((level) => {
    // The plain picture of the content must stay possible.
    if (!fitsSymbol(text, level) || !fitsSymbol(content, level)) return false;
    const modules = countModules(text, level);
    // Assumes a square logo, which covers the most.
    const covered = coveredModules(modules, (modules * logoSize) / 100);
    return lostCodewords(covered) <= shareForLogo * correctableCodewords(text, level);
  });
}

/**
 * Codewords that can still be lost, in percent of all: what the error correction repairs beyond what the logo covers. Undefined
 * if the symbol cannot hold the text.
 */
export function repairablePercent({ text, errorCorrection, design }: Picture): number | undefined {
  if (!fitsSymbol(text, errorCorrection)) return undefined;
  const modules = countModules(text, errorCorrection);
  const covered = design?.logo
    ? lostCodewords(coveredModules(modules, (modules * design.logoSize) / 100))
    : 0;
  const left = correctableCodewords(text, errorCorrection) - covered;
  return Math.max(0, Math.floor((100 * left) / countCodewords(text, errorCorrection)));
}

/** Average in a square of modules. A codeword is 2 × 4 modules, and lost with any of them. */
const lostCodewords = (side: number) => ((side + 1) / 2) * ((side + 3) / 4);
