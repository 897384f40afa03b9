import { appendFileSync, readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

interface ProcessStat {
  parent: number;
  /** Its own processor time, and that of the processes it started and that have ended. */
  seconds: number;
}

/** The processor time of this process and of all that it has started, directly or not. Only Linux tells. */
function processorSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const all = readProcesses();
  const secondsOf = (pid: number): number => {
    const children = [...all].filter(([, { parent }]) => parent === pid);
    return children.reduce((sum, [child]) => sum + secondsOf(child), all.get(pid)?.seconds ?? 0);
  };
  return secondsOf(process.pid);
}

function readProcesses(): Map<number, ProcessStat> {
  const found = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of the program, in front of these, may contain spaces.
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
      found.set(Number(name), { parent: fields[1] ?? 0, seconds: ticks / ticksPerSecond });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

const file = process.env['TEST_COSTS_FILE'];
let counted = 0;

/** What a file has cost, with loading it, for the runner: it names the most expensive ones. */
export function addFileCost(testFile: string | undefined): void {
  if (!file || !testFile) return;
  const sum = processorSeconds();
  appendFileSync(file, `${JSON.stringify({ file: testFile, seconds: sum - counted })}\n`);
  counted = sum;
}
