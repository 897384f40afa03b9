import type { ShownOperation } from '../api/reference.ts';
import { Method } from './docs-parts.tsx';

/** Closed on phones, where it would fill a screen above the title. */
export function DocsContents({ operations }: { operations: ShownOperation[] }) {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return (
    <nav class="docs-nav" aria-label="API reference">
      <details>
        <summary>On this page</summary>
        <ul>
          <li>
            <a href="#start">Start</a>
          </li>
          {tags.map((name) => (
            <li key={name}>
              <span class="docs-tag">{name}</span>
              <ul>
                {operations
                  .filter(({ tag }) => tag === name)
                  .map(({ id, method, summary }) => (
                    <li key={id}>
                      <a href={`#${id}`}>
                        <Method name={method} /> {summary}
                      </a>
                    </li>
                  ))}
              </ul>
            </li>
          ))}
          <li>
            <a href="#events">Webhook events</a>
          </li>
          <li>
            <a href="#errors">Errors</a>
          </li>
          <li>
            <a href="#headers">Headers</a>
          </li>
        </ul>
      </details>
    </nav>
  );
}
