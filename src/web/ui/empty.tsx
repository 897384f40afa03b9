import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';

interface EmptyProps {
  /** Of what the list holds. Without one: a drawing of codes. */
  icon?: IconName;
  title: string;
  children: ComponentChildren;
}

/** Where a list has nothing yet: what it is for, and the one next step. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <section class="card empty">
      {icon ? <IconTile name={icon} /> : <EmptyPicture />}
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function IconTile({ name }: { name: IconName }) {
  return (
    <span class="icon-tile">
      <Icon name={name} />
    </span>
  );
}

function EmptyPicture() {
  return (
    <svg class="empty-picture" viewBox="0 0 144 96" aria-hidden="true">
      <rect class="sheet" x="22" y="14" width="62" height="76" rx="8" />
      <rect class="sheet front" x="52" y="6" width="66" height="80" rx="8" />
      <path
        class="code"
        d="M62 18h16v16H62zM92 18h16v16H92zM62 48h16v16H62zM84 18h4v4h-4zM84 26h4v4h-4zM84 38h4v4h-4zM92 40h8v4h-8zM104 40h4v8h-4zM84 46h4v8h-4zM92 50h4v4h-4zM98 54h10v4H98zM84 58h4v6h-4zM92 60h8v4h-8z"
      />
      <path class="eyes" d="M67 23h6v6h-6zM97 23h6v6h-6zM67 53h6v6h-6z" />
      <rect class="line" x="62" y="72" width="46" height="5" rx="2.5" />
    </svg>
  );
}
