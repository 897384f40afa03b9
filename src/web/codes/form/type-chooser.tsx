import { type ShownType, shownTypes, TypeIcon, typeName } from '../shown-type.tsx';

/** form.browser.js sends along what was typed, except to the page of a file. */
export function TypeChooser({ at, path }: { at: ShownType; path: string }) {
  return (
    <nav class="types" aria-label="Type of the code">
      {shownTypes.map((type) => (
        <a
          key={type}
          href={type === 'file' ? path.replace(/(?:\/edit)?$/, '/file') : `${path}?type=${type}`}
          data-type={type === 'file' ? undefined : true}
          aria-current={type === at ? 'true' : undefined}
        >
          <TypeIcon type={type} />
          {typeName(type)}
        </a>
      ))}
    </nav>
  );
}
