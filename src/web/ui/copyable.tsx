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

/** A command or settings to paste into a terminal; `label` names the button for screen readers. */
export function CopyableText({ id, label, text }: { id: string; label: string; text: string }) {
  return (
    <div class="copyable">
      <pre id={id}>{text}</pre>
      <CopyButton target={id} name="Copy" label={label} quiet />
    </div>
  );
}
