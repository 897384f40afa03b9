import type { QrCode } from '../../codes/qr-code.ts';
import { useMay } from '../ui/visitor.ts';

const tabs = [
  ['edit', 'Content'],
  ['design', 'Design'],
  ['ready', 'Download'],
] as const;

/** The steps of a code, in the order in which it was made. */
export function CodeTabs({ code, at }: { code: QrCode; at: (typeof tabs)[number][0] }) {
  const may = useMay();
  // Those who cannot edit it have one page, and need no tabs.
  if (!may('editor or demo')) return null;
  return (
    <nav class="segments code-tabs" aria-label="Parts of the code">
      {tabs.map(([path, name]) => (
        <a key={path} href={`/codes/${code.id}/${path}`} aria-current={path === at ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
