import { writeFile } from 'node:fs/promises';
import { clientTypesFile, generateClientTypes } from './client-types.ts';

await writeFile(clientTypesFile, await generateClientTypes());
