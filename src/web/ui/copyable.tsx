import type { ComponentChildren } from 'preact';

interface CopyButtonProps {
  /** The id of the element whose text is copied. */
  target: string;
  name: string;
  /** For screen readers, where a page has several buttons of the same name. */
  label?: string | undefined;
  quiet?: boolean | undefined;
}

/** Needs a script, so the style sheet hides it where scripts are off. */
function CopyButton({ target, name, label, quiet = false }: CopyButtonProps) {
  return (
    <button type="button" class={quiet ? 'copy quiet' : 'copy'} data-copy={target} aria-label={label}>
      {name}
    </button>
  );
}

interface CopyableFieldProps {
  id: string;
  label: string;
  value: string;
  /** The name of the button. */
  button: string;
  quiet?: boolean;
}

export function CopyableField({ id, label, value, button, quiet }: CopyableFieldProps) {
  return (
    <>
      <label for={id}>{label}</label>
      <div class="row">
        <input id={id} class="code" value={value} readOnly />
        <CopyButton target={id} name={button} quiet={quiet} />
      </div>
    </>
  );
}

interface CopyableTextProps {
  id: string;
  /** Names the button for screen readers. */
  label: string;
  text: string;
  /** Keeps its lines, which are scrolled where they are too long. */
  isSource?: boolean;
  /** The text with markup for colors. */
  children?: ComponentChildren;
}

/** A command or settings to paste into a terminal. */
export function CopyableText({ id, label, text, isSource = false, children }: CopyableTextProps) {
  const scrolled = isSource ? { class: 'source', tabIndex: 0 } : {};
  return (
    <div class="copyable">
      <pre id={id} {...scrolled}>
        {children ?? text}
      </pre>
      <CopyButton target={id} name="Copy" label={label} quiet />
    </div>
  );
}
