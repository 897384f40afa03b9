import { type FormState, Input, idOf } from '../ui/controls.tsx';
import { useVisitor } from '../ui/visitor.ts';

interface CurrentPasswordProps {
  form: FormState;
  name: string;
  purpose: string;
  /** The page that the OpenID provider leads back to, where it is asked instead. */
  page?: string;
}

/** Or what is asked for instead. A page has several: `purpose` tells them apart for those who do not see the form around them. */
export function CurrentPassword({ form, name, purpose, page = '/account/security' }: CurrentPasswordProps) {
  const { confirmation, provider } = useVisitor();
  const error = form.errors.find(({ field }) => field === name)?.message;
  if (confirmation === 'confirmed') return error ? <p class="error">{error}.</p> : null;
  if (confirmation === 'provider')
    return (
      <p id={idOf(name)}>
        <span class={error && 'error'}>{error ?? 'First, confirm that it is you'}.</span>{' '}
        <button
          type="submit"
          class="button small quiet"
          name="page"
          value={page}
          formaction="/account/security/identity/confirm"
          formnovalidate
          aria-label={`Confirm with ${provider?.name}, to ${purpose}`}
        >
          <span>
            Confirm with <bdi>{provider?.name}</bdi>
          </span>
        </button>
      </p>
    );
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
