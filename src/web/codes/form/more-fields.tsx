import type { ComponentChildren } from 'preact';
import type { FormState } from '../../ui/controls.tsx';

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
