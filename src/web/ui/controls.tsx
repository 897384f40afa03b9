import type { ComponentChildren } from 'preact';
import type { FieldError } from '../../errors.ts';
import { errorSentence } from './error-sentences.ts';
import { Icon } from './icons.tsx';
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

export interface ControlProps {
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
export function attributes({ form: { values, errors, saved }, name, hint, caution }: ControlProps) {
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

function Labeled({ children, describe, ...props }: LabeledProps) {
  return (
    <div class="field">
      <label for={idOf(props.name)}>{props.label}</label>
      {children}
      <FieldNotes {...props} describe={describe} />
    </div>
  );
}

/** What stands below a control: its hint, and what is wrong with its value. `attributes` refers to them. */
export function FieldNotes({
  form,
  name,
  label,
  hint,
  isSecret,
  caution,
  describe,
}: Omit<LabeledProps, 'children'>) {
  const id = idOf(name);
  const error = form.errors.find(({ field }) => field === name);
  return (
    <>
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
          {errorSentence(label, error.message)}
          {error.link && (
            <>
              {' '}
              <a href={error.link.path}>{error.link.name}</a>
            </>
          )}
        </p>
      )}
    </>
  );
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
  placeholder?: string;
  required?: boolean;
  /** For the first field of a page that is a form. An error above it gets the focus instead. */
  autofocus?: boolean;
  /** For a password: offers to show it, with scripts. */
  canShow?: boolean;
}

export function Input({
  type = 'text',
  inputMode,
  autocomplete,
  maxLength,
  list,
  placeholder,
  required,
  autofocus,
  canShow = false,
  ...props
}: InputProps) {
  // Preact's types need a literal input type; here the page chooses it.
  const input = {
    ...attributes(props),
    type,
    inputMode,
    autocomplete,
    maxLength,
    list,
    placeholder,
    required,
    autofocus,
  };
  const locale = useLocale();
  const describeDay = (day: string) => dayInWords(day, locale);
  return (
    <Labeled {...props} describe={type === 'date' ? describeDay : undefined}>
      {type === 'color' ? (
        <div class="color">
          <input {...(input as object)} />
          {/* For a color that is pasted. It has no name: colors.browser.js copies it to the other, which is sent. */}
          <input
            type="text"
            class="code"
            value={input.value || '#000000'}
            aria-label={`${props.label}, hex code`}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
          />
        </div>
      ) : canShow ? (
        <div class="secret">
          <input {...(input as object)} />
          <button type="button" class="ghost" aria-pressed="false" aria-controls={input.id} hidden>
            Show
          </button>
        </div>
      ) : (
        <input {...(input as object)} />
      )}
    </Labeled>
  );
}

interface FileInputProps extends ControlProps {
  accept: string;
  /** A picture that can be cropped before it is sent, always to a square or to any shape. */
  crops?: 'square' | 'free' | undefined;
}

/** An area to drop a file on, or to click. */
export function FileInput({ accept, crops, ...props }: FileInputProps) {
  // A file cannot be chosen for the visitor.
  const { value: _value, ...rest } = attributes(props);
  return (
    <Labeled {...props}>
      <div class="drop" data-crop={crops}>
        <Icon name="upload" />
        <strong>Choose a file</strong>
        <span aria-hidden="true">or drop it here</span>
        <input {...rest} type="file" accept={accept} />
        {crops && (
          // Shown by crop.browser.js for pictures that have pixels.
          <button type="button" class="quiet small crop-button" hidden>
            <Icon name="crop" />
            Crop
          </button>
        )}
      </div>
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

interface RevealProps {
  /** On the button that shows the form. It is for those who look for it, and too much for a page of settings. */
  title: string;
  /** Where the form came back with errors. */
  isOpen: boolean;
  isDanger?: boolean;
  children: ComponentChildren;
}

/** A form behind a button. */
export function Reveal({ title, isOpen, isDanger = false, children }: RevealProps) {
  return (
    <details class={isDanger ? 'reveal danger' : 'reveal'} open={isOpen}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

export function CheckBox(props: ControlProps) {
  const { value, ...rest } = attributes(props);
  return (
    <div class="field check">
      <input {...rest} type="checkbox" value="on" checked={value === 'on'} />
      <label for={rest.id}>{props.label}</label>
      {props.hint && (
        <p class="hint" id={`${rest.id}-hint`}>
          {props.hint}
        </p>
      )}
      <SavedValue {...props} describe={(saved) => (saved === 'on' ? 'checked' : 'not checked')} />
    </div>
  );
}
