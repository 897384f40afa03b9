const tabs = [
  ['/workspace', 'Settings'],
  ['/members', 'Members'],
  ['/history', 'History'],
] as const;

/** The pages about the workspace as a whole, of which the navigation shows the first. */
export function WorkspaceTabs({ at }: { at: (typeof tabs)[number][0] }) {
  return (
    <nav class="tabs" aria-label="Workspace">
      {tabs.map(([path, name]) => (
        <a key={path} href={path} aria-current={path === at ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
