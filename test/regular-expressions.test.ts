import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { check } from 'recheck';
import { type Pattern, patternsIn } from './support/regular-expressions.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Patterns, by file, that never see client-controlled text, and why. */
const trusted: Record<string, string> = {
  'src/store/database-url.ts /[?&]host=[^&#,%]*(?:,|%2c)/i': 'the environment',
  'src/config.ts /\\/+$/': 'the environment',
  'src/store/embedded/cluster.ts /(\\d+)\\./': 'what `postgres --version` prints',
  'src/doctor/configuration.ts /_(?:SERVICE_HOST|SERVICE_PORT(?:_\\w+)?|PORT(?:_\\d+_(?:TCP|UDP)(?:_\\w+)?)?)$/':
    'the environment',
};

/** Patterns that are built at run time, and how they are checked. */
const builtAtRunTime: Record<string, string> = {
  'src/web/codes/form/form.browser.js': 'a literal of src/codes/, which the page hands to its script',
};

const files = ['src', 'workers'].flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|tsx|js|mjs)$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.length)),
);
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

/** Undefined where a match always takes linear time. */
async function slowness({ source, flags }: Pattern): Promise<string | undefined> {
  const verdict = await check(source, flags, limits);
  if (verdict.status === 'safe') return undefined;
  return verdict.status === 'vulnerable'
    ? `${verdict.complexity.summary}, attacked by ${verdict.attack.pattern}`
    : `not known: ${verdict.error.kind}`;
}

describe('The regular expressions of the service', () => {
  it('are all found, except one that is built at run time', () => {
    const unreadable = read.flatMap((file) => file.unreadable.map(() => file.path));
    expect(unreadable).to.deep.equal(Object.keys(builtAtRunTime));
    expect(read.reduce((count, { found }) => count + found.length, 0)).to.be.greaterThan(100);
  });

  it('match in linear time wherever they see client-controlled text', async function () {
    // Without a native build, recheck takes a minute.
    this.timeout(300_000);
    // Calls that come before recheck's process is ready would each start one.
    await check('', '', limits);
    const slow = await Promise.all(
      read.flatMap(({ path, found }) =>
        found
          .filter((pattern) => !(nameOf(path, pattern) in trusted))
          .map(async (pattern) => {
            const reason = await slowness(pattern);
            return reason && `${path}:${pattern.line} /${pattern.source}/${pattern.flags}: ${reason}`;
          }),
      ),
    );
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

  it('detects quadratic and exponential ones', async () => {
    for (const source of ['[,;]+$', '^(a+)+$', '^[^:]*;Q(?:;[^:]*)?:.*=$']) {
      expect(await slowness({ line: 1, source, flags: '' }), source).to.be.a('string');
    }
    expect(await slowness({ line: 1, source: '^[,;]+$', flags: '' })).to.equal(undefined);
  });
});
