import { Agent, get } from 'node:http';

/** What the client received, with times in milliseconds, and everything but a redirect by what it was. */
export interface RedirectTimes {
  redirects: number;
  p50: number;
  p99: number;
  max: number;
  faults: Record<string, number>;
}

export interface Measurement {
  lane: RedirectTimes;
  /** Of a bare server beside it, requested at the same times: what it takes longer for is the machine's doing. */
  bare: RedirectTimes;
}

const perSecond = 100;
const [laneAddress = '', bareAddress = '', userAgent = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

function startRequests(address: string) {
  const times: number[] = [];
  const faults: Record<string, number> = {};
  let underWay = 0;
  let redirects = 0;
  return {
    isDone: () => underWay === 0,
    send(): void {
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
      req.once('timeout', () => req.destroy(new Error('no response')));
      req.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    },
    result(): RedirectTimes {
      times.sort((a, b) => a - b);
      const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10;
      return { redirects, p50: at(0.5), p99: at(0.99), max: at(0.9999), faults };
    },
  };
}

/** At a steady rate, whether or not responses come. */
function measure(seconds: number): void {
  const lane = startRequests(laneAddress);
  const bare = startRequests(bareAddress);
  const startedAt = performance.now();
  let sent = 0;
  const ticking = setInterval(() => {
    const passed = (performance.now() - startedAt) / 1000;
    for (const due = Math.min(passed, seconds) * perSecond; sent < Math.floor(due); sent += 1) {
      lane.send();
      bare.send();
    }
    if (passed < seconds || !lane.isDone() || !bare.isDone()) return;
    clearInterval(ticking);
    process.send?.({ lane: lane.result(), bare: bare.result() } satisfies Measurement);
  }, 2);
}

// Nobody is left to report to.
process.once('disconnect', () => process.exit());
process.on('message', measure);
process.send?.('ready');
