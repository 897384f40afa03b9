import type { ComponentChildren } from 'preact';

interface NoticeProps {
  kind: 'good' | 'bad';
  /** Screen readers start here when a form comes back with errors. */
  isFocused?: boolean;
  children: ComponentChildren;
}

/** The outcome of the last action. Screen readers read it when the page opens. */
export function Notice({ kind, isFocused = false, children }: NoticeProps) {
  const focus = isFocused ? { tabIndex: -1, autofocus: true } : {};
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'} {...focus}>
      {children}
    </div>
  );
}
