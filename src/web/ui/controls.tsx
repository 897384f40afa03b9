import type { ComponentChildren } from 'preact';
import type { FieldError } from '../../errors.ts';
import { dayInWords } from './day.ts';
import { useLocale } from './layout.tsx';

const maxShownLength = 200;

/** What is wrong with a field: said of it as in the API, "must not be empty", or in a sentence of its own. */
export interface FormError extends FieldError {
  /** Where to go instead. */
  link?: { path: string; name: string };
}

/** What was typed, by field, and what is wrong with it. */
export interface FormState {
  values: Record<string, string>;
  errors: FormError[];
  /** What was saved by somebody else since the form was opened, where it differs. */
  saved?: Record<string, string> | undefined;
}

/** What is said of a value that can be saved but may not be what is wanted. The script says it while it is typed. */
export interface Caution {
  text: string;
  /** Matches the values that it is about. */
  pattern: RegExp;
}

interface ControlProps {
  form: FormState;
  name: string;
  label: string;
  hint?: string | undefined;
  /** What was saved meanwhile is not shown, only that it differs. */
  isSecret?: boolean | undefined;
  caution?: Caution | undefined;
}

/** By which what is said elsewhere on the page leads to a field. */
export const idOf = (name: string) => `field-${name}`;

/** What every control has in common: its name, its value, and what is said of it. */
function attributes({ form: { values, errors, saved }, name, hint, caution }: ControlProps) {
  const id = idOf(name);
  const isBad = errors.some(({ field }) => field === name);
  const isOld = saved?.[name] !== undefined;
  const notes = [
    hint && `${id}-hint`,
    caution && `${id}-caution`,
    isOld && `${id}-saved`,
    isBad && `${id}-error`,
  ]
    .filter(Boolean)
    .join(' ');
  return {
    id,
    name,
    value: values[name] ?? '',
    'aria-describedby': notes || undefined,
    'aria-invalid': isBad ? true : undefined,
  };
}

interface LabeledProps extends ControlProps {
  /** What a value is called in this control. */
  describe?: ((value: string) => string) | undefined;
  children: ComponentChildren;
}

function Labeled({ form, name, label, hint, isSecret, caution, describe, children }: LabeledProps) {
  const id = idOf(name);
  const { errors } = form;
  const error = errors.find(({ field }) => field === name);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {caution && (
        <p
          class="caution"
          id={`${id}-caution`}
          role="status"
          data-pattern={caution.pattern.source}
          data-text={caution.text}
        >
          {caution.pattern.test(form.values[name] ?? '') && caution.text}
        </p>
      )}
      <SavedValue form={form} name={name} isSecret={isSecret} describe={describe} />
      {error && (
        <p class="error" id={`${id}-error`}>
          {sentence(label, error.message)}
          {error.link && (
            <>
              {' '}
              <a href={error.link.path}>{error.link.name}</a>
            </>
          )}
        </p>
      )}
    </div>
  );
}

/** What is said of a field begins small, and its label is what it is said of. */
function sentence(label: string, message: string): string {
  const subject = label.replace(' (optional)', '');
  return /^\p{Ll}/u.test(message) ? `${subject} ${message}.` : `${message}.`;
}

function SavedValue({ form, name, isSecret, describe }: Omit<LabeledProps, 'label' | 'children'>) {
  const value = form.saved?.[name];
  if (value === undefined) return null;
  const text = describe ? describe(value) : value;
  return (
    <p class="saved" id={`${idOf(name)}-saved`}>
      Saved meanwhile: {isSecret ? 'another one' : <bdi>{text === '' ? 'nothing' : shortened(text)}</bdi>}
    </p>
  );
}

function shortened(text: string): string {
  const letters = [...text];
  return letters.length > maxShownLength ? `${letters.slice(0, maxShownLength).join('')} …` : text;
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
  const locale = useLocale();
  const describeDay = (day: string) => dayInWords(day, locale);
  return (
    <Labeled {...props} describe={type === 'date' ? describeDay : undefined}>
      <input {...(input as object)} />
    </Labeled>
  );
}

export function TextArea({ rows = 4, ...props }: ControlProps & { rows?: number }) {
  const { value, ...rest } = attributes(props);
  return (
    <Labeled {...props}>
      {/* A browser leaves out the first line break. */}
      <textarea {...rest} rows={rows} value={`\n${value}`} />
    </Labeled>
  );
}

export function Select({ choices, ...props }: ControlProps & { choices: [value: string, text: string][] }) {
  const { value, ...rest } = attributes(props);
  const describe = (chosen: string) => choices.find(([choice]) => choice === chosen)?.[1] ?? chosen;
  return (
    <Labeled {...props} describe={describe}>
      <select {...rest}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
    </Labeled>
  );
}

export function CheckBox(props: ControlProps) {
  const { value, ...rest } = attributes(props);
  return (
    <div class="field check">
      <input {...rest} type="checkbox" value="on" checked={value === 'on'} />
      <label for={rest.id}>{props.label}</label>
      <SavedValue {...props} describe={(saved) => (saved === 'on' ? 'ticked' : 'not ticked')} />
    </div>
  );
}
