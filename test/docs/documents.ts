import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

const filesBelow = (folder: string, ending: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));

export const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...filesBelow('docs', /\.md$/),
].toSorted();

export const readText = (file: string) => readFileSync(join(root, file), 'utf8');

/** Without blocks of code. */
export const proseOf = (file: string) => readText(file).replace(/^```[^]*?^```$/gm, '');

/** What is written as code in the prose. */
export const codeIn = (file: string) =>
  [...proseOf(file).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);

/** As GitHub makes them of headings. */
export const anchorsIn = (file: string) =>
  [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-'),
  );

export function linksIn(file: string): string[] {
  const links = proseOf(file).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g);
  return [...links].map(([, link, image]) => link ?? image ?? '').filter((link) => !/^https?:/.test(link));
}

/** Everything that the service is made of, as one text. */
export const sources = ['src', 'workers', 'migrations', 'test']
  .flatMap((folder) => filesBelow(folder, /\.(?:tsx?|m?js)$/))
  .map(readText)
  .join('\n');
