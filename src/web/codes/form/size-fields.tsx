import { type FormState, Input, Select } from '../../ui/controls.tsx';
import { maxMm, minMm, mmOf } from './print-size.ts';

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
