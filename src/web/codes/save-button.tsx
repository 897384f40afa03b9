import type { ComponentChildren } from 'preact';
import { useMay, useVisitor } from '../ui/visitor.ts';

/** Saves a form that the demo shows as well. In the demo, it links to sign-up. */
export function SaveButton({ children }: { children: ComponentChildren }) {
  const { canSignUp } = useVisitor();
  const may = useMay();
  if (may('editor')) return <button type="submit">{children}</button>;
  return canSignUp ? (
    <a class="button" href="/signup">
      Sign up to create your own
    </a>
  ) : null;
}
