import { type FormState, Input } from '../ui/controls.tsx';

/** A page has several: `purpose` tells them apart for who does not see the form around them. */
export function CurrentPassword({ form, name, purpose }: { form: FormState; name: string; purpose: string }) {
  return (
    <Input
      form={form}
      name={name}
      label={`Current password, to ${purpose}`}
      type="password"
      required
      autocomplete="current-password"
    />
  );
}
