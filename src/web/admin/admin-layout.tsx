import type { ComponentChildren } from 'preact';
import { Layout, type Visitor } from '../ui/layout.tsx';
import { Notice } from '../ui/notice.tsx';

const sections = [
  { path: '/admin', name: 'Overview' },
  { path: '/admin/users', name: 'Users' },
  { path: '/admin/blocks', name: 'Blocks' },
  { path: '/admin/queues', name: 'Queues' },
  { path: '/admin/audit', name: 'Audit log' },
] as const;

interface AdminLayoutProps {
  visitor: Visitor;
  /** Of the page; also its heading, unless `heading` is given. */
  title: string;
  at: (typeof sections)[number]['path'];
  heading?: ComponentChildren;
  flash?: string | undefined;
  /** What could not be done. */
  problem?: string | undefined;
  children: ComponentChildren;
}

/** A page for operators, in the layout of the app. */
export function AdminLayout({ visitor, title, at, heading, flash, problem, children }: AdminLayoutProps) {
  return (
    <Layout
      title={problem ? `Error: ${title}` : title}
      visitor={visitor}
      at="/admin"
      styles={['codes', 'admin']}
    >
      <nav class="admin-nav" aria-label="Admin">
        {sections.map(({ path, name }) => (
          <a key={path} href={path} aria-current={path === at ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      {heading ?? <h1>{title}</h1>}
      {flash && <Notice kind="good">{flash}</Notice>}
      {problem && (
        <Notice kind="bad" isFocused>
          {problem}
        </Notice>
      )}
      {children}
    </Layout>
  );
}
