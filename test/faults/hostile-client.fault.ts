import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { formClient } from '../support/form-client.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { iPhoneSafari, type SharedCode } from '../support/share.ts';
import type { Attack } from './clients/attack.ts';
import type { Measurement } from './clients/measure-redirects.ts';
import { type Control, startControl } from './control.ts';

/** With the attack and without it in turn. The medians do not show a stall of the machine in one of the rounds. */
const rounds = 5;
const quietSeconds = 3;
const mostRssGrowthMb = 300;
const hostileUserAgent = 'qr'.repeat(7_000);

type AttackName =
  | 'the worst User-Agent'
  | 'the worst form'
  | 'the worst pipelining'
  | '200 sign-ins a second';
type Shape = Omit<Attack, 'port' | 'seconds'>;

/** How many times its undisturbed value the p99 may be. */
const mostTimes = 3;

/** With the seconds of each round. */
const rows: { names: AttackName[]; seconds: number }[] = [
  { names: ['the worst User-Agent'], seconds: 3 },
  { names: ['the worst form'], seconds: 3 },
  { names: ['the worst pipelining'], seconds: 3 },
  { names: ['200 sign-ins a second'], seconds: 3 },
  {
    names: ['the worst User-Agent', 'the worst form', 'the worst pipelining', '200 sign-ins a second'],
    seconds: 6,
  },
];

/** Each from a process of its own on the same machine, so that no client measures itself. */
describe('A hostile client', () => {
  let fixture: Fixture;
  let control: Control;
  let code: SharedCode;
  let attacks: Record<AttackName, Shape[]>;
  let client: ChildProcess;
  let redirects = 0;

  before(async () => {
    fixture = await startFixture();
    control = await startControl();
    code = await fixture.makeCode();
    attacks = await prepareAttacks(fixture);
    const [address = ''] = fixture.addresses(code);
    client = await start('measure-redirects', [address, control.address, iPhoneSafari]);
  });
  after(async () => {
    client?.kill();
    control?.stop();
    await fixture?.stop();
  });

  async function measure(seconds: number): Promise<Measurement> {
    client.send(seconds);
    const [measured] = (await once(client, 'message')) as [Measurement];
    redirects += measured.lane.redirects;
    return measured;
  }

  for (const { names, seconds } of rows) {
    it(`sending ${names.join(', ')}: others are redirected about as fast, nothing restarts, memory is bounded`, async function () {
      this.retries(3);
      const web = fixture.web[0]?.process as ChildProcess;
      const attackers = await Promise.all(names.flatMap((name) => attacks[name]).map(startAttacker));
      const rssBefore = rssMb(web);
      let peakRss = rssBefore;
      const watching = setInterval(() => {
        peakRss = Math.max(peakRss, rssMb(web));
      }, 100);
      const quiet: Measurement[] = [];
      const attacked: Measurement[] = [];
      for (let round = 0; round < rounds; round += 1) {
        quiet.push(await measure(quietSeconds));
        const ended = attackers.map((attacker) => attacker.attack(fixture, seconds));
        attacked.push(await measure(seconds - 0.5));
        await Promise.all(ended);
      }
      clearInterval(watching);
      for (const attacker of attackers) attacker.stop();

      // What a bare server suffers beside the lane is the attackers' use of the machine.
      const machineMs = Math.max(0, medianOf(attacked, 'bare', 'max') - medianOf(quiet, 'bare', 'max'));
      const [quietMs, attackedMs] = [medianOf(quiet, 'lane', 'p99'), medianOf(attacked, 'lane', 'p99')];
      console.log(
        `      p99 of the lane ${quietMs} → ${attackedMs} ms, slowest of a bare server ${machineMs.toFixed(1)} ms more (medians of ${rounds}); ` +
          `slowest ${Math.max(...attacked.map(({ lane }) => lane.max))} ms; RSS ${rssBefore} → ${peakRss} MB`,
      );
      expect(attacked.map(({ lane }) => lane.faults)).to.deep.equal(attacked.map(() => ({})));
      expect([web.exitCode, web.signalCode]).to.deep.equal([null, null]);
      expect(peakRss - rssBefore, 'MB more').to.be.below(mostRssGrowthMb);
      expect(attackedMs, 'ms').to.be.at.most(mostTimes * quietMs + machineMs);
    });
  }

  it('lost and added nothing: every redirect of the others is counted once', async () => {
    expect(await fixture.countedScans(code, redirects)).to.equal(redirects);
  });
});

/** As bytes, with all that a page of ours would have given to the client. */
async function prepareAttacks(fixture: Fixture): Promise<Record<AttackName, Shape[]>> {
  const scanned = await fixture.makeCode();
  const host = new URL(fixture.url).host;
  const user = await findOrCreateUser(fixture.db, 'hostile@example.com', new Date());
  const owner = formClient(fixture.url);
  owner.cookies.set('__Host-qrelay-session', await startSession(fixture.db, user.id, new Date()));
  const stranger = formClient(fixture.url);
  const post = (path: string, cookies: Map<string, string>, fields: Record<string, string>, more = '') => {
    const body = new URLSearchParams(fields).toString() + more;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return bytesOf(
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  };
  const get = (path: string, headers = '') =>
    bytesOf(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`);
  const one = { connections: 50, pipelined: 1, addresses: 1 };
  return {
    'the worst User-Agent': [
      {
        ...one,
        request: get(`/r/${scanned.shareToken}`, `User-Agent: ${hostileUserAgent}\r\n`),
        perSecond: 50,
      },
    ],
    'the worst form': [
      {
        ...one,
        // Commas as they are: written as %2C they would not fit into a form.
        request: post(
          '/codes/new',
          owner.cookies,
          { csrfToken: await tokenOf(owner, '/codes/new?type=social'), type: 'social', name: 'Hostile' },
          `&content=${','.repeat(60_000)}a`,
        ),
        perSecond: 20,
        addresses: 17,
      },
    ],
    'the worst pipelining': [
      {
        request: get('/docs'),
        connections: 40,
        pipelined: 400,
        perSecond: 40,
        leaveAfterMs: 1_000,
        addresses: 1,
      },
      {
        request: get('/docs'),
        connections: 40,
        pipelined: 30,
        perSecond: 10,
        leaveAfterMs: 60_000,
        addresses: 1,
      },
    ],
    '200 sign-ins a second': [
      {
        ...one,
        connections: 2_000,
        request: post('/signin', stranger.cookies, {
          csrfToken: await tokenOf(stranger, '/signin'),
          email: 'rig@example.com',
          password: 'not-the-password',
        }),
        perSecond: 200,
        addresses: 17,
      },
    ],
  };
}

const bytesOf = (text: string) => Buffer.from(text, 'latin1').toString('base64');

async function tokenOf(client: ReturnType<typeof formClient>, path: string): Promise<string> {
  const page = await (await client.get(path)).text();
  const token = /name="csrfToken" value="([^"]+)"/.exec(page)?.[1];
  if (!token) throw new Error(`No form at ${path}: ${page.slice(0, 200)}`);
  return token;
}

async function start(name: string, args: string[] = []): Promise<ChildProcess> {
  const file = fileURLToPath(new URL(`clients/${name}.ts`, import.meta.url));
  const child = fork(file, args, { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
  return child;
}

async function startAttacker(shape: Shape) {
  const attacker = await start('attack');
  return {
    async attack({ url }: Fixture, seconds: number): Promise<void> {
      attacker.send({ ...shape, seconds, port: Number(new URL(url).port) } satisfies Attack);
      await once(attacker, 'message');
    },
    stop: () => void attacker.kill(),
  };
}

function medianOf(measured: Measurement[], server: keyof Measurement, figure: 'p99' | 'max'): number {
  const sorted = measured.map((one) => one[server][figure]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function rssMb(child: ChildProcess): number {
  // A process that has ended is told of by its exit code.
  if (child.exitCode !== null || child.signalCode !== null) return 0;
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}
