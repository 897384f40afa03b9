import type { ComponentChildren } from 'preact';
import type { FieldError } from '../../errors.ts';
import { dayInWords } from './time.tsx';
import { useLocale } from './visitor.ts';

const maxShownLength = 200;

/** The message continues the label ("must be a number"), as in the API, or is a sentence of its own. */
export interface FormError extends FieldError {
  /** A page that helps. */
  link?: { path: string; name: string };
}

/** The input and its errors, by field. */
export interface FormState {
  values: Record<string, string>;
  errors: FormError[];
  /** About the whole form: why it was not accepted. */
  error?: string | undefined;
  /** Values that were saved elsewhere since the form was opened, where they differ. */
  saved?: Record<string, string> | undefined;
}

/** Warns about a value that is valid but may be a mistake. form.browser.js shows it while typing. */
export interface Caution {
  text: string;
  /** Matches the values to warn about. */
  pattern: RegExp;
}

interface ControlProps {
  form: FormState;
  name: string;
  label: string;
  hint?: string | undefined;
  /** A value that was saved elsewhere is not shown, only that it differs. */
  isSecret?: boolean | undefined;
  caution?: Caution | undefined;
}

/** For links to a field. */
export const idOf = (name: string) => `field-${name}`;

/** The attributes that every control has. */
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
  /** The text for a value, such as the name of an option. */
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

/** A message in lower case continues the label. The rules of the API are worded for programs. */
function sentence(label: string, message: string): string {
  if (message === 'must not be empty') return 'Fill in this field.';
  const subject = label.replace(' (optional)', '');
  return /^\p{Ll}/u.test(message) ? `${subject} ${message}.` : `${message}.`;
}

function SavedValue({ form, name, isSecret, describe }: Omit<LabeledProps, 'label' | 'children'>) {
  const value = form.saved?.[name];
  if (value === undefined) return null;
  const text = describe ? describe(value) : value;
  return (
    <p class="saved" id={`${idOf(name)}-saved`}>
      Saved elsewhere: {isSecret ? 'a different value' : <bdi>{text === '' ? 'empty' : shortened(text)}</bdi>}
    </p>
  );
}

function shortened(text: string): string {
  const letters = [...text];
  return letters.length > maxShownLength ? `${letters.slice(0, maxShownLength).join('')} …` : text;
}

interface InputProps extends ControlProps {
  type?: 'text' | 'color' | 'date' | 'time' | 'search' | 'email' | 'password';
  inputMode?: 'url' | 'tel' | 'email' | 'numeric' | 'decimal';
  /** Leave it out in forms that people return to: with "off", the browser's back button would empty the field. */
  autocomplete?: string;
  maxLength?: number;
  /** The id of a datalist. */
  list?: string;
  required?: boolean;
}

export function Input({
  type = 'text',
  inputMode,
  autocomplete,
  maxLength,
  list,
  required,
  ...props
}: InputProps) {
  // Preact's types need a literal input type; here the page chooses it.
  const input = { ...attributes(props), type, inputMode, autocomplete, maxLength, list, required };
  const locale = useLocale();
  const describeDay = (day: string) => dayInWords(day, locale);
  return (
    <Labeled {...props} describe={type === 'date' ? describeDay : undefined}>
      <input {...(input as object)} />
    </Labeled>
  );
}

export function FileInput({ accept, ...props }: ControlProps & { accept: string }) {
  // A file cannot be chosen for the visitor.
  const { value: _value, ...rest } = attributes(props);
  return (
    <Labeled {...props}>
      <input {...rest} type="file" accept={accept} />
    </Labeled>
  );
}

export function TextArea({ rows = 4, ...props }: ControlProps & { rows?: number }) {
  const { value, ...rest } = attributes(props);
  return (
    <Labeled {...props}>
      {/* Browsers drop the first line break. */}
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
      <SavedValue {...props} describe={(saved) => (saved === 'on' ? 'checked' : 'not checked')} />
    </div>
  );
}
