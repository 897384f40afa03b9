import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { benchCapacity } from './capacity.ts';
import { clientName, connections } from './client.ts';
import { benchDeletion } from './deletion.ts';
import { benchDesigns } from './designs.ts';
import { benchEndToEnd } from './end-to-end.ts';
import { benchGrowth } from './growth.ts';
import { benchHot } from './hot.ts';
import { benchImages } from './images.ts';
import { benchLane } from './lane.ts';
import { benchRequests } from './requests.ts';
import { benchSmall } from './small.ts';
import { benchStyles } from './styles.ts';
import { benchWebhookLane } from './webhook-lane.ts';
import { benchWebhooks } from './webhooks.ts';
import { benchWorker } from './worker.ts';

/** `npm run bench [section …] [-- --scans N]`: prints one table per section and writes the results to bench/results/ as JSON. */
const sections = {
  lane: { title: 'The redirect', bench: benchLane },
  images: { title: 'The redirect while images of 2048 pixels are drawn', bench: benchImages },
  designs: { title: 'The redirect while designs are proven, drawn and printed', bench: benchDesigns },
  styles: { title: 'A style applied to 60 codes by one worker', bench: benchStyles },
  endToEnd: { title: 'End to end, all on this machine', bench: benchEndToEnd },
  small: { title: 'At rest and at small loads, as npm start runs it', bench: benchSmall },
  requests: { title: 'A redirect and a read, beside the previous release', bench: benchRequests },
  worker: { title: 'The worker alone, with a full queue', bench: benchWorker },
  webhooks: { title: 'Recording with and without webhook endpoints', bench: benchWebhooks },
  webhookLane: { title: 'The redirect with and without webhook endpoints', bench: benchWebhookLane },
  hot: { title: 'Recording by 1, 2 and 4 workers', bench: benchHot },
  capacity: { title: 'Machines for a load, computed from measured figures', bench: benchCapacity },
  deletion: { title: 'A code is deleted while others are scanned', bench: benchDeletion },
  growth: { title: 'By number of scans on the code', bench: benchGrowth },
};

const machine = {
  cores: cpus().length,
  model: cpus()[0]?.model,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
};
const only = process.argv.slice(2).filter((word) => word in sections);
const results: Record<string, unknown> = {
  at: new Date().toISOString(),
  machine,
  client: clientName,
  connections,
};
console.log(
  `${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}; client ${clientName}, ${connections} connections.`,
);
for (const [name, { title, bench }] of Object.entries(sections)) {
  if (only.length > 0 && !only.includes(name)) continue;
  console.log(`\n${title} ...`);
  const tables = await bench();
  results[name] = tables;
  for (const table of Object.values(tables)) console.table(table);
}
const folder = new URL('results/', import.meta.url);
await mkdir(folder, { recursive: true });
const file = new URL(`${new Date().toISOString().replaceAll(':', '-')}.json`, folder);
await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
console.log(`\nWritten to bench/results/${file.pathname.split('/').at(-1)}`);
process.exit(0);
