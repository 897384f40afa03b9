import type { ComponentChildren } from 'preact';
import { fieldsIn, type FormField, type FormPart } from '../../../codes/content/content-type.ts';
import { type CodeType, contentType } from '../../../codes/content/content-types.ts';
import { isSecretType } from '../../../codes/content/content-fields.ts';
import { CheckBox, type FormState, Input, Select, TextArea } from '../../ui/controls.tsx';

/** The fields of a type, or the stored content where the fields cannot hold all of it. */
export function ContentInputs({ type, isRaw, form }: { type: CodeType; isRaw: boolean; form: FormState }) {
  if (!isRaw) return <Parts parts={contentType(type).form.parts} form={form} />;
  return (
    <TextArea
      form={form}
      name="content"
      label="Content"
      rows={8}
      isSecret={isSecretType(type)}
      hint="Shown as stored, because it has more than the form has fields for."
    />
  );
}

function Parts({ parts, form }: { parts: FormPart[]; form: FormState }) {
  return (
    <>
      {parts.map((part, index) => (
        <Part key={index} part={part} form={form} />
      ))}
    </>
  );
}

function Part({ part, form }: { part: FormPart; form: FormState }) {
  if ('linkRows' in part) return <LinkRows part={part} form={form} />;
  if ('more' in part)
    return (
      <More form={form} title={part.title} names={fieldsIn(part.more).map(({ name }) => name)}>
        <Parts parts={part.more} form={form} />
      </More>
    );
  if ('row' in part)
    return (
      <div class="row">
        <Parts parts={part.row} form={form} />
      </div>
    );
  return <Field field={part} form={form} />;
}

function Field({ field, form }: { field: FormField; form: FormState }) {
  const {
    input = 'text',
    inputMode,
    maxLength,
    rows,
    choices = [],
    name,
    label,
    hint,
    isSecret,
    caution,
  } = field;
  const common = { form, name, label, hint, isSecret, caution };
  switch (input) {
    case 'area':
      return <TextArea {...common} {...(rows && { rows })} />;
    case 'select':
      return <Select {...common} choices={choices} />;
    case 'checkbox':
      return <CheckBox {...common} />;
    default:
      return (
        <Input {...common} type={input} {...(inputMode && { inputMode })} {...(maxLength && { maxLength })} />
      );
  }
}

/** A row for each link, in the order of the page. social.browser.js moves them. */
function LinkRows({ part, form }: { part: Extract<FormPart, { linkRows: unknown }>; form: FormState }) {
  const rows = part.linkRows.map(({ address, label }, index) => (
    <div key={index} class="link-row" role="group" aria-label={`Link ${index + 1}`}>
      <Field field={address} form={form} />
      <Field field={label} form={form} />
      {index > 0 && (
        <button type="button" class="quiet" data-move-up hidden aria-label={`Move link ${index + 1} up`}>
          ↑
        </button>
      )}
    </div>
  ));
  const closed = part.linkRows.slice(part.open).flatMap(({ address, label }) => [address.name, label.name]);
  return (
    <div class="link-rows">
      <p class="hint">{part.hint}</p>
      {rows.slice(0, part.open)}
      <More form={form} title="More links" names={closed}>
        {rows.slice(part.open)}
      </More>
    </div>
  );
}

interface MoreProps {
  form: FormState;
  title: string;
  /** The fields in it. */
  names: string[];
  children: ComponentChildren;
}

/** Fields that few codes need: open where one of them has a value or an error. */
export function More({ form: { values, saved = {}, errors }, title, names, children }: MoreProps) {
  const isUsed = names.some(
    (name) => values[name] || name in saved || errors.some(({ field }) => field === name),
  );
  return (
    <details open={isUsed}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
