import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildOpenApi } from '../../src/web/api/openapi.ts';
import { operations } from '../../src/web/api/router.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Types of every operation, which `npm run client:types` writes here. */
export const clientTypesFile = join(root, 'clients/typescript/src/schema.ts');

/** What openapi-typescript makes of the OpenAPI document. */
export async function generateClientTypes(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-client-types-'));
  try {
    const document = buildOpenApi(operations, { baseUrl: 'https://qrelay.example', abuseContact: undefined });
    const [source, target] = [join(folder, 'openapi.json'), join(folder, 'schema.ts')];
    await writeFile(source, JSON.stringify(document));
    const typeScriptApi = new URL('use-typescript-api.mjs', import.meta.url).href;
    const generator = join(root, 'node_modules/openapi-typescript/bin/cli.js');
    await run(process.execPath, ['--import', typeScriptApi, generator, source, '-o', target]);
    return await readFile(target, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
