import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ViewHandlerReturnType } from '@bull-board/api/dist/types.js';
import { render } from '../web/ui/layout.tsx';

/**
 * Hashes of the two inline styles that the board's script adds to the page: icon colors, and hidden scroll bars in its
 * dialogs. Styles set through the CSSOM need no hash. After an update of @bull-board/ui, the browser console prints the
 * new hashes.
 */
const inlineStyleHashes = [
  "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='",
  "'sha256-YOH55hOpTZ6KxJ9cb26FdACAL0sk9+RkchuaJtLcpCw='",
].join(' ');

export const boardPolicy = `default-src 'none'; script-src 'self'; style-src 'self' ${inlineStyleHashes}; img-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The HTML page of the board. We do not use bull-board's own page, which loads fonts from another host and has inline
 * styles. Only the names of the scripts and style sheets are taken from it, because they change with each version.
 */
export async function loadBoardPage(viewsFolder: string): Promise<(view: ViewHandlerReturnType) => string> {
  const template = await readFile(join(viewsFolder, 'index.ejs'), 'utf8');
  const styles = [...template.matchAll(/href="(static\/css\/[\w.-]+\.css)"/g)].map(([, name]) => name);
  const scripts = [...template.matchAll(/src="(static\/js\/[\w.-]+\.js)"/g)].map(([, name]) => name);
  if (styles.length === 0 || scripts.length === 0)
    throw new Error('The page of @bull-board/ui has changed its script names: see src/admin/board-page.tsx');
  return ({ params }) => render(<BoardPage {...{ params, styles, scripts }} />);
}

interface BoardPageProps {
  params: Record<string, string>;
  styles: (string | undefined)[];
  scripts: (string | undefined)[];
}

function BoardPage({ params, styles, scripts }: BoardPageProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <base href={params['basePath']} />
        <title>{params['title']}</title>
        <link rel="icon" id="fav-logo" href={params['favIconDefault']} type="image/svg+xml" />
        {styles.map((name) => (
          <link key={name} rel="stylesheet" href={name} />
        ))}
        {/* JSON data, not executed; escaped by bull-board. */}
        <script
          id="__UI_CONFIG__"
          type="application/json"
          dangerouslySetInnerHTML={{ __html: params['uiConfig'] ?? '{}' }}
        />
        {scripts.map((name) => (
          <script key={name} defer src={name} />
        ))}
      </head>
      <body class="preload">
        <div id="root">
          <noscript>This page needs JavaScript.</noscript>
        </div>
      </body>
    </html>
  );
}
