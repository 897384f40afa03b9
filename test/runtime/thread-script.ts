import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Request =
  | { type: 'echo'; text: string }
  | { type: 'hang' }
  | { type: 'never' }
  | { type: 'about' };

/** What `about` returns: where the request was handled. */
export interface About {
  pid: number;
  variables: string[];
}

export const builtRuntime = new URL('../../dist/src/runtime/', import.meta.url);
const insideThread = new URL('inside-thread.js', builtRuntime).href;
const script = `import { handleRequests, signalReady } from ${JSON.stringify(insideThread)};
signalReady();
handleRequests(async (request) => {
  if (request.type === 'hang') for (;;);
  if (request.type === 'never') return new Promise(() => {});
  if (request.type === 'about') return { pid: process.pid, variables: Object.keys(process.env) };
  return request.text;
});`;

/** Writes a file for a thread, or a process, of the tests. The service must have been built. */
export async function writeThreadScript(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'qrelay-thread-')), 'main.mjs');
  await writeFile(file, script);
  return file;
}
