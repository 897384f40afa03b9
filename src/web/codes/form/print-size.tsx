import type { FieldError } from '../../../errors.ts';
import { type FormState, Input, Select } from '../../ui/controls.tsx';

/** Print shops ask for 300 dpi. */
const dotsPerMm = 300 / 25.4;
const [minPixels, maxPixels] = [128, 2048];
const minMm = Math.ceil(minPixels / dotsPerMm);
const maxMm = Math.floor(maxPixels / dotsPerMm);

/** In whole millimeters; empty for what is not a number of pixels. */
function mmOf(pixels: string): string {
  return /^\s*\d{1,6}\s*$/.test(pixels) ? String(Math.round(Number(pixels) / dotsPerMm)) : '';
}

interface SizeInput {
  size: string;
  /** The pixels that the form was opened with. */
  sizeShown: string;
  sizeMm: string;
}

/**
 * One size in two units. Pixels win where they were changed, because they are exact; without a script, the other field
 * does not follow. `sizeMm` is returned where it is what was changed.
 */
export function readPrintSize({ size, sizeShown, sizeMm }: SizeInput): { size: string; sizeMm?: string } {
  const given = sizeMm.trim();
  if (size !== sizeShown || given === '' || given === mmOf(size)) return { size };
  const pixels = isInRange(given) ? String(Math.round(Number(given) * dotsPerMm)) : size;
  return { size: pixels, sizeMm: given };
}

export function printSizeErrors({ sizeMm }: { sizeMm?: string }): FieldError[] {
  if (sizeMm === undefined || isInRange(sizeMm)) return [];
  return [{ field: 'sizeMm', message: `must be a whole number from ${minMm} to ${maxMm}` }];
}

function isInRange(mm: string): boolean {
  return /^\d{1,3}$/.test(mm) && Number(mm) >= minMm && Number(mm) <= maxMm;
}

const advanced = ['size', 'errorCorrection'];

/** Millimeters first: that is what people measure. The rest is for those who know what they need. */
export function SizeFields({ form }: { form: FormState }) {
  const { values, errors, saved = {} } = form;
  const size = values['size'] ?? '';
  const isOpen = advanced.some((name) => name in saved || errors.some(({ field }) => field === name));
  return (
    <>
      <input type="hidden" name="sizeShown" value={size} />
      <Input
        form={{ ...form, values: { sizeMm: mmOf(size), ...values } }}
        name="sizeMm"
        label="Printed width in mm"
        inputMode="numeric"
        hint={`From ${minMm} to ${maxMm}. A phone reads a code from about ten times its width: 30 mm from 30 cm.`}
      />
      <details open={isOpen}>
        <summary>Advanced</summary>
        <Input
          form={form}
          name="size"
          label="Size in pixels"
          inputMode="numeric"
          hint="Width and height, from 128 to 2048. In print, 300 pixels are an inch."
        />
        <Select
          form={form}
          name="errorCorrection"
          label="Error correction"
          choices={[
            ['L', 'Low: simplest picture'],
            ['M', 'Medium'],
            ['Q', 'High'],
            ['H', 'Highest: readable even when dirty or damaged'],
          ]}
        />
      </details>
    </>
  );
}
