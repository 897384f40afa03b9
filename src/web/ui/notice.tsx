import type { ComponentChildren } from 'preact';

interface NoticeProps {
  kind: 'good' | 'bad';
  /** Where a form comes back with errors, reading goes on here. */
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
