import type { Static } from 'typebox';
import { contentFaults } from '../../codes/content/faults.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import type { BodyRules } from './operation.ts';
import { type createBody, createDefaults, type patchBody } from './qr-code-shapes.ts';

/** What the schema of a new code cannot say. */
export function newCodeRules(baseUrl: string): BodyRules<Static<typeof createBody>> {
  return (fields, bad) => {
    const { type, errorCorrection, content } = { ...createDefaults, ...fields };
    return contentFaults(
      {
        content,
        type: bad.has('type') ? undefined : type,
        errorCorrection: bad.has('errorCorrection') ? undefined : errorCorrection,
      },
      baseUrl,
    );
  };
}

/** What the schema of a change cannot say. */
export function changedCodeRules(code: QrCode, baseUrl: string): BodyRules<Static<typeof patchBody>> {
  return (fields, bad) => {
    if (fields.content === undefined && fields.errorCorrection === undefined) return [];
    const { type, content, errorCorrection } = { ...code, ...fields };
    const known = bad.has('errorCorrection') ? undefined : errorCorrection;
    const faults = contentFaults({ type, content, errorCorrection: known }, baseUrl);
    // What was changed is what is at fault, even where the two only clash.
    return fields.content === undefined
      ? faults.map((fault) => ({
          ...fault,
          field: 'errorCorrection',
          message: `does not fit the content, which ${fault.message}`,
        }))
      : faults;
  };
}
