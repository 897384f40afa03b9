// HEALTHCHECK of the image. A web process must answer /healthz. A container without one (worker, migrate) is healthy while
// it runs: its watchdog ends it when it hangs.
import { readdirSync, readFileSync } from 'node:fs';

const timeoutMs = 4_000;

if (runs('dist/src/server.js')) {
  const { HOST, PORT } = process.env;
  const everywhere = !HOST || HOST === '0.0.0.0' || HOST === '::';
  const host = everywhere ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;
  const response = await fetch(`http://${host}:${PORT || 3000}/healthz`, {
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(({ cause, message }) => fail(cause?.message ?? message));
  if (!response.ok) fail(`/healthz answered ${response.status}`);
}

function runs(program) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => commandLine(pid).some((word) => word.endsWith(program)));
}

/** Empty for a process that has just ended. */
function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
