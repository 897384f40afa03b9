// Writes src/web/codes/detail/world.ts: `node --import tsx test/web/codes/write-world.ts && npm run format`.
import { writeFileSync } from 'node:fs';
import { drawWorld } from './draw-world.ts';

writeFileSync(
  new URL('../../../src/web/codes/detail/world.ts', import.meta.url),
  `/**
 * Code and outline of each country; land without a code has no scans. Drawn by test/web/codes/write-world.ts, because
 * drawing it took a tenth of the start of a web process.
 */
export const world = ${JSON.stringify(drawWorld())};
`,
);
