import { Agent, get } from 'node:http';

/** What the client saw: redirects received, their times in milliseconds, and everything else by what it was. */
export interface RedirectTimes {
  redirects: number;
  p50: number;
  p99: number;
  max: number;
  faults: Record<string, number>;
}

const perSecond = 100;
const [address = '', userAgent = '', seconds = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const times: number[] = [];
const faults: Record<string, number> = {};
let underWay = 0;
let redirects = 0;

function scan(): void {
  const startedAt = performance.now();
  underWay += 1;
  const done = (what: string) => {
    underWay -= 1;
    times.push(performance.now() - startedAt);
    if (what === '302') redirects += 1;
    else faults[what] = (faults[what] ?? 0) + 1;
  };
  const req = get(address, { agent, timeout: 15_000, headers: { 'User-Agent': userAgent } }, (res) => {
    res.resume().once('end', () => done(String(res.statusCode)));
  });
  req.once('timeout', () => req.destroy(new Error('no answer')));
  req.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
}

// Nobody is left to report to.
process.once('disconnect', () => process.exit());

/** In a process of its own: at a steady rate, whether or not the answers come. */
const startedAt = performance.now();
let sent = 0;
const ticking = setInterval(() => {
  const passed = (performance.now() - startedAt) / 1000;
  for (const due = Math.min(passed, Number(seconds)) * perSecond; sent < Math.floor(due); sent += 1) scan();
  if (passed < Number(seconds) || underWay > 0) return;
  clearInterval(ticking);
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10;
  const report: RedirectTimes = { redirects, p50: at(0.5), p99: at(0.99), max: at(0.9999), faults };
  process.send?.(report, () => process.exit(0));
}, 2);
