import { Icon } from './icons.tsx';
import type { Visitor } from './visitor.ts';

/** Only for people with several workspaces. */
export function Switcher({ workspaces }: Pick<Visitor, 'workspaces'>) {
  const [current] = workspaces;
  const isAmbiguous = (name: string) => workspaces.filter((each) => each.name === name).length > 1;
  return (
    <details class="menu switcher">
      <summary class="quiet">
        <span class="unseen">Workspace: </span>
        <span class="name" title={current?.name}>
          {current?.name}
          {current && isAmbiguous(current.name) && <small>{current.slug}</small>}
        </span>
        <Icon name="chevron-down" />
      </summary>
      <div>
        {workspaces
          .toSorted((one, other) => one.name.localeCompare(other.name))
          .map(({ slug, name }) => (
            <a
              key={slug}
              href={`/w/${slug}/codes`}
              aria-current={slug === current?.slug ? 'true' : undefined}
            >
              <span class="name" title={name}>
                {name}
                {isAmbiguous(name) && <small>{slug}</small>}
              </span>
              {slug === current?.slug && <Icon name="check" />}
            </a>
          ))}
        <a class="new" href="/workspaces/new">
          <span class="name">New workspace</span>
          <Icon name="plus" />
        </a>
      </div>
    </details>
  );
}
