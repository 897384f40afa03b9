import type { ComponentChildren } from 'preact';
import type { FieldFault } from '../../errors.ts';

/** What was typed, by field, and what is wrong with it. */
export interface FormState {
  values: Record<string, string>;
  faults: FieldFault[];
}

interface ControlProps {
  of: FormState;
  name: string;
  label: string;
  hint?: string | undefined;
}

/** By which what is said elsewhere on the page leads to a field. */
export const idOf = (name: string) => `field-${name}`;

/** What every control has in common: its name, its value, and what is said of it. */
function attributes({ of: { values, faults }, name, hint }: ControlProps) {
  const id = idOf(name);
  const isBad = faults.some(({ field }) => field === name);
  const notes = [hint && `${id}-hint`, isBad && `${id}-fault`].filter(Boolean).join(' ');
  return {
    id,
    name,
    value: values[name] ?? '',
    'aria-describedby': notes || undefined,
    'aria-invalid': isBad ? true : undefined,
  };
}

function Labelled({
  of: { faults },
  name,
  label,
  hint,
  children,
}: ControlProps & { children: ComponentChildren }) {
  const id = idOf(name);
  const fault = faults.find(({ field }) => field === name);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault.message.charAt(0).toUpperCase() + fault.message.slice(1)}.
        </p>
      )}
    </div>
  );
}

interface InputProps extends ControlProps {
  type?: 'text' | 'color' | 'date' | 'search' | 'email' | 'password';
  inputMode?: 'url' | 'tel' | 'email' | 'numeric' | 'decimal';
  /** Of a form that will be opened again filled in, not a word: "off" would also empty the field on the way back. */
  autocomplete?: string;
  maxLength?: number;
  required?: boolean;
}

export function Input({ type = 'text', inputMode, autocomplete, maxLength, required, ...props }: InputProps) {
  // Preact's types want to know the kind of input when this is written; here it is chosen by the page.
  const input = { ...attributes(props), type, inputMode, autocomplete, maxLength, required };
  return (
    <Labelled {...props}>
      <input {...(input as object)} />
    </Labelled>
  );
}

export function TextArea({ rows = 4, ...props }: ControlProps & { rows?: number }) {
  const { value, ...rest } = attributes(props);
  return (
    <Labelled {...props}>
      {/* A browser leaves out the first line break. */}
      <textarea {...rest} rows={rows} value={`\n${value}`} />
    </Labelled>
  );
}

export function Select({ choices, ...props }: ControlProps & { choices: [value: string, text: string][] }) {
  const { value, ...rest } = attributes(props);
  return (
    <Labelled {...props}>
      <select {...rest}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

export function CheckBox({ of: { values }, name, label }: ControlProps) {
  return (
    <div class="field check">
      <input type="checkbox" id={idOf(name)} name={name} value="on" checked={values[name] === 'on'} />
      <label for={idOf(name)}>{label}</label>
    </div>
  );
}
