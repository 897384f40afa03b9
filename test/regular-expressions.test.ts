// Inputs: src, workers
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { check } from 'recheck';
import { type Pattern, patternsIn } from './support/regular-expressions.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Patterns, by file, that never see client-controlled text, and why. */
const trusted: Record<string, string> = {
  'src/store/database-url.ts /[?&]host=[^&#,%]*(?:,|%2c)/i': 'the environment',
  'src/config.ts /\\/+$/': 'the environment',
  'src/welcome.ts /\\/+$/': 'the environment',
  'src/web/asset-files.ts /\\/\\*.*?\\*\\//gs': 'our own style sheets',
  'src/store/embedded/cluster.ts /(\\d+)\\./': 'what `postgres --version` prints',
  'src/doctor/configuration.ts /_(?:SERVICE_HOST|SERVICE_PORT(?:_\\w+)?|PORT(?:_\\d+_(?:TCP|UDP)(?:_\\w+)?)?)$/':
    'the environment',
};

/** Patterns that are built at run time, and how they are checked. */
const builtAtRunTime: Record<string, string> = {
  'src/web/codes/form/form.browser.js': 'a literal of src/codes/, which the page hands to its script',
  'src/web/middleware/workspace-addresses.ts': 'alternatives of our own path segments, without repetition',
};

const files = ['src', 'workers'].flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|tsx|js|mjs)$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.length)),
);
/** Where recheck runs in Java, its optimizing compiler would take longer than it saves. */
process.env['JAVA_TOOL_OPTIONS'] ??= '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

const read = files.map((path) => ({ path, ...patternsIn(path, readFileSync(`${root}${path}`, 'utf8')) }));
const nameOf = (path: string, { source, flags }: Pattern) => `${path} /${source}/${flags}`;

/** Limited by steps and not by time, so that a busy machine does not change the result. */
const limits = {
  attackLimit: 10_000_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  timeout: null,
  randomSeed: 1,
};

/** Nothing repeats a variable number of times, so that a match takes a bounded number of steps. Most are so. */
function isBounded(source: string): boolean {
  const withoutEscapes = source.replaceAll(/\\(?:[pPu]\{[^}]*\}|[^])/g, '.');
  return !/[*+]|\{\d+,\d*\}/.test(withoutEscapes.replaceAll(/\[[^\]]*\]/g, '.'));
}

/** Patterns that passed in an earlier run. `npm test -- --all` and CI check them again. */
const { openMemory } = (await import(new URL('unchanged.mjs', import.meta.url).href)) as {
  openMemory(folder: string): {
    hasPassed(name: string, digest: string): boolean;
    remember(passed: [name: string, digest: string][]): void;
  };
};
const memory = openMemory(root);
const leavesOut = process.env['TEST_LEAVES_OUT'] === 'true';
const { version } = createRequire(import.meta.url)('recheck/package.json') as { version: string };
const digest = JSON.stringify({ recheck: version, ...limits });

/** Undefined where a match always takes linear time. */
async function slowness({ source, flags }: Pattern): Promise<string | undefined> {
  if (isBounded(source)) return undefined;
  const verdict = await check(source, flags, limits);
  if (verdict.status === 'safe') return undefined;
  return verdict.status === 'vulnerable'
    ? `${verdict.complexity.summary}, attacked by ${verdict.attack.pattern}`
    : `not known: ${verdict.error.kind}`;
}

describe('The regular expressions of the service', () => {
  it('are all found, except those that are built at run time', () => {
    const unreadable = read.flatMap((file) => file.unreadable.map(() => file.path));
    expect([...new Set(unreadable)]).to.have.members(Object.keys(builtAtRunTime));
    expect(read.reduce((count, { found }) => count + found.length, 0)).to.be.greaterThan(100);
  });

  it('match in linear time wherever they see client-controlled text', async function () {
    // Without a native build, recheck takes a minute.
    this.timeout(300_000);
    // Calls that come before recheck's process is ready would each start one.
    await check('', '', limits);
    const places = new Map<string, Pattern & { path: string }>();
    for (const { path, found } of read)
      for (const pattern of found)
        if (!(nameOf(path, pattern) in trusted)) places.set(nameOf('', pattern), { path, ...pattern });
    const passed: [string, string][] = [];
    const slow = await Promise.all(
      [...places].map(async ([name, pattern]) => {
        if (leavesOut && memory.hasPassed(`pattern${name}`, digest)) return undefined;
        const reason = await slowness(pattern);
        if (!reason) passed.push([`pattern${name}`, digest]);
        return reason && `${pattern.path}:${pattern.line}${name}: ${reason}`;
      }),
    );
    memory.remember(passed);
    expect(slow.filter(Boolean)).to.deep.equal([]);
  });

  it('are on the list of exceptions only as long as they exist', () => {
    const names = new Set(read.flatMap(({ path, found }) => found.map((pattern) => nameOf(path, pattern))));
    expect(Object.keys(trusted).filter((name) => !names.has(name))).to.deep.equal([]);
  });
});

describe('The check of regular expressions', () => {
  const sourcesIn = (code: string) => patternsIn('sample.ts', code).found.map(({ source }) => source);

  it('finds literals, constructed ones, constants in them, and patterns of schemas', () => {
    expect(sourcesIn('const a = (b as string).split(/x+/u);')).to.deep.equal(['x+']);
    expect(sourcesIn('const p = String.raw`\\d`; const q = new RegExp(`^${p}$`, "i");')).to.deep.equal([
      '^\\d$',
    ]);
    expect(sourcesIn("const s = Type.String({ pattern: '^a$' });")).to.deep.equal(['^a$']);
  });

  it('reports one that it cannot parse', () => {
    expect(
      patternsIn('sample.ts', '\nexport const f = (x: string) => new RegExp(x);').unreadable,
    ).to.deep.equal([2]);
  });

  it('asks recheck about each that repeats a variable number of times', () => {
    for (const source of ['a+', 'a*', '[a-z]{2,}', '(?:ab){1,9}', '\\++', '[*]+', '\\p{L}{2,}'])
      expect(isBounded(source), source).to.equal(false);
    for (const source of ['^a?b$', '[*+]', '\\+\\*', '^[0-9a-f]{8}$', '\\p{L}', '\\{1,2\\}'])
      expect(isBounded(source), source).to.equal(true);
  });

  it('detects quadratic and exponential ones', async () => {
    for (const source of ['[,;]+$', '^(a+)+$', '^[^:]*;Q(?:;[^:]*)?:.*=$']) {
      expect(await slowness({ line: 1, source, flags: '' }), source).to.be.a('string');
    }
    expect(await slowness({ line: 1, source: '^[,;]+$', flags: '' })).to.equal(undefined);
  });
});
