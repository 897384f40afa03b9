import type { ComponentChildren } from 'preact';
import type { FieldFault } from '../../errors.ts';

interface FieldProps {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password';
  value?: string;
  autocomplete?: string;
  hint?: string;
  faults?: FieldFault[] | undefined;
  required?: boolean;
  maxLength?: number;
}

/** A labelled input; what is wrong with it stands beside it, and is read out with it. */
export function Field({ label, name, type = 'text', value, hint, faults = [], ...rest }: FieldProps) {
  const fault = faults.find(({ field }) => field === name);
  const notes = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ');
  // Preact's types want to know the kind of input when this is written; here it is chosen by the page.
  const input = {
    id: name,
    name,
    type,
    value,
    required: rest.required ?? true,
    autocomplete: rest.autocomplete,
    maxLength: rest.maxLength,
    'aria-describedby': notes || undefined,
    'aria-invalid': fault ? true : undefined,
  };
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input {...(input as object)} />
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${name}-fault`}>
          {fault.message.charAt(0).toUpperCase() + fault.message.slice(1)}.
        </p>
      )}
    </div>
  );
}

interface NoticeProps {
  kind: 'good' | 'bad';
  /** Where a form comes back with faults, reading goes on here. */
  isFocused?: boolean;
  children: ComponentChildren;
}

/** What became of the last step; read out when the page opens. */
export function Notice({ kind, isFocused = false, children }: NoticeProps) {
  const focus = isFocused ? { tabIndex: -1, autofocus: true } : {};
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'} {...focus}>
      {children}
    </div>
  );
}
