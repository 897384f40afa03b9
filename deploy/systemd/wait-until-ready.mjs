// ExecStartPost of a web process: ends when the process responds, and fails after a minute without a response.
import { setTimeout as sleep } from 'node:timers/promises';

const { HOST, PORT } = process.env;
const everywhere = !HOST || HOST === '0.0.0.0' || HOST === '::';
const host = everywhere ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;
const url = `http://${host}:${PORT}/healthz`;
const deadlineMs = Date.now() + 60_000;

for (;;) {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  if (response?.ok) break;
  if (Date.now() > deadlineMs) {
    process.stderr.write(`${url} does not respond.\n`);
    process.exit(1);
  }
  await sleep(200);
}
