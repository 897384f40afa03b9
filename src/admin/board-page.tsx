import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ViewHandlerReturnType } from '@bull-board/api/dist/types.js';
import { render } from '../web/ui/layout.tsx';

/**
 * The two styles that its script writes into the page, and nothing else that is written into it: the colours of the icon
 * of the queue's store, and hidden scroll bars in its dialogs. What it styles otherwise, it does through the elements'
 * objects, which no policy minds. After an update of @bull-board/ui, the browser's console tells the new hashes.
 */
const writtenStyles = [
  "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='",
  "'sha256-YOH55hOpTZ6KxJ9cb26FdACAL0sk9+RkchuaJtLcpCw='",
].join(' ');

export const boardPolicy = `default-src 'none'; script-src 'self'; style-src 'self' ${writtenStyles}; img-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The page that the board's script fills. Ours, not the one that comes with it: that asks another host for fonts and has
 * styles written into it. From that one we take the names of the scripts and stylesheets, which change with each version.
 */
export async function loadBoardPage(viewsFolder: string): Promise<(view: ViewHandlerReturnType) => string> {
  const template = await readFile(join(viewsFolder, 'index.ejs'), 'utf8');
  const styles = [...template.matchAll(/href="(static\/css\/[\w.-]+\.css)"/g)].map(([, name]) => name);
  const scripts = [...template.matchAll(/src="(static\/js\/[\w.-]+\.js)"/g)].map(([, name]) => name);
  if (styles.length === 0 || scripts.length === 0)
    throw new Error('@bull-board/ui names its scripts in another way now: see src/admin/board-page.tsx');
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
        {/* Data, which no browser runs; bull-board has escaped it. */}
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
