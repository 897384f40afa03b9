interface CopyButtonProps {
  /** The id of what is copied. */
  target: string;
  name: string;
  /** Heard where several stand on one page. */
  label?: string | undefined;
  quiet?: boolean;
}

/** Works by script alone: the stylesheet hides it where there is none. */
export function CopyButton({ target, name, label, quiet = false }: CopyButtonProps) {
  return (
    <button type="button" class={quiet ? 'copy quiet' : 'copy'} data-copy={target} aria-label={label}>
      {name}
    </button>
  );
}

/** Where it is said to whoever does not see the button. One a page. */
export function CopyStatus() {
  return <p class="unseen" role="status" id="copied" />;
}
