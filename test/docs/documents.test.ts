import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { codeTypes } from '../../src/codes/content/content-types.ts';
import { readConfig } from '../../src/config.ts';
import { connectionCounts } from '../../src/queue/connection-counts.ts';
import { columnNames, dimensionTitles } from '../../src/scans/dimensions.ts';
import { operations } from '../../src/web/api/router.ts';
import { loadCommandLine } from '../support/command-line.ts';
import { anchorsIn, codeIn, documents, linksIn, proseOf, readText, root, sources } from './documents.ts';

function leadsSomewhere(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#', 2);
  const target = path === '' ? file : normalize(join(dirname(file), path));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsIn(target).includes(anchor);
}

describe('The documents', () => {
  it('link to files and headings that exist', () => {
    const broken = documents.flatMap((file) =>
      linksIn(file)
        .filter((link) => !leadsSomewhere(file, link))
        .map((link) => `${file}: ${link}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('name paths that exist', () => {
    // The changelog is about the past.
    const missing = documents
      .filter((file) => file !== 'CHANGELOG.md')
      .flatMap((file) =>
        codeIn(file)
          .filter(
            (text) =>
              /^(?:src|workers|test|docs|migrations|bench|deploy)\/[\w./@-]*$/.test(text) &&
              !existsSync(join(root, text)),
          )
          .map((path) => `${file}: ${path}`),
      );
    expect(missing).to.deep.equal([]);
  });

  it('name npm scripts that exist', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    for (const file of documents)
      for (const [, script] of readText(file).matchAll(/\bnpm run (?:-s )?([\w:-]+)/g))
        expect(Object.keys(scripts), file).to.include(script);
  });
});

describe('The commands in the documents', () => {
  it('exist, or are groups of commands', async () => {
    const commands = await commandsBelow();
    const unknown = documents
      .filter((file) => file !== 'CHANGELOG.md' && !file.startsWith('docs/decisions/'))
      .flatMap((file) => commandsIn(file).map((text) => ({ file, text })))
      // A command may be followed by an argument, and stands for its group where only the first word is given.
      .filter(
        ({ text }) => !commands.some((one) => `${one} `.startsWith(`${text} `) || text.startsWith(`${one} `)),
      );
    expect(unknown).to.deep.equal([]);
  });
});

describe('CHANGELOG.md', () => {
  const sections = [...proseOf('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);

  it('has a section, with its date, for the version that package.json and package-lock.json name', () => {
    const { version } = JSON.parse(readText('package.json')) as { version: string };
    const lock = JSON.parse(readText('package-lock.json')) as {
      version: string;
      packages: { '': { version: string } };
    };
    expect([lock.version, lock.packages[''].version]).to.deep.equal([version, version]);
    expect(sections[1]).to.match(/ - \d{4}-\d\d-\d\d$/);
    expect(sections[1]?.split(' - ')[0]).to.equal(`[${version}]`);
  });

  it('begins with what is not released yet, then goes back in time', () => {
    const [first, ...released] = sections.map((heading) => /^\[([^\]]+)\]/.exec(heading)?.[1] ?? '');
    expect(first).to.equal('Unreleased');
    const newestFirst = released.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
    expect(released).to.deep.equal(newestFirst);
  });
});

describe('README.md', () => {
  it('names everything that scans are counted by', () => {
    const [, analytics = ''] = /^- \*\*Analytics\*\*([^]*?)^- /m.exec(readText('README.md')) ?? [];
    for (const name of columnNames)
      expect(analytics).to.include(dimensionTitles[name].singular.toLowerCase());
  });
});

describe('docs/api.md', () => {
  it('lists every operation, and no other', () => {
    const listed = [...proseOf('docs/api.md').matchAll(/^\| `([A-Z]+) \/api\/v1(\S+)` +\|/gm)].map(
      ([, method = '', path]) => `${method} ${path}`,
    );
    expect(listed).to.have.members(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
  });
});

describe('The content types', () => {
  it('are all in the table of docs/api.md', () => {
    const [, section = ''] = /^#+ Content by type$([^]*?)^#/m.exec(proseOf('docs/api.md')) ?? [];
    const listed = [...section.matchAll(/^\| `([\w-]+)` +\|/gm)].map(([, type]) => type);
    expect(listed).to.have.members(codeTypes);
  });

  it('are as many as README.md says, and lists', () => {
    const [, count, list = ''] =
      /^- \*\*(\w+) types of content\*\*:([^]*?)\.$/m.exec(readText('README.md')) ?? [];
    const numbers = ['Ten', 'Eleven', 'Twelve', 'Thirteen', 'Fourteen', 'Fifteen'];
    expect(count).to.equal(numbers[codeTypes.length - 10]);
    expect(list.split(',')).to.have.length(codeTypes.length);
  });
});

describe('docs/scaling.md', () => {
  it('has the number of connections that each process opens', () => {
    const config = readConfig({}).config;
    const { web, worker } = connectionCounts({ ...config, redisUrl: 'redis://localhost' });
    const onPostgres = connectionCounts(config);
    const text = proseOf('docs/scaling.md').replace(/\s+/g, ' ');
    expect(text).to.include(
      `Up to ${web} per web process and ${worker} per worker; with the queues in PostgreSQL, ` +
        `${onPostgres.web - web} and ${onPostgres.worker - worker} more`,
    );
  });
});

describe('docs/operations/', () => {
  it('lists every command, and no other', async () => {
    const [, section = ''] = proseOf('docs/operations/README.md').split(/^## Command line$|^## Doctor$/m);
    const rows = [...section.matchAll(/^\| (`[a-z][^|]*(?:\\\|[^|]*)*)\|/gm)];
    const listed = rows.flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([a-z]+(?: [a-z]+)?)(?=[ `])/g)].map(([, name]) => name),
    );
    expect(listed).to.include.members(await commandsBelow());
    expect(await commandsBelow()).to.include.members(listed);
  });

  it('shows what the doctor really prints', () => {
    const [, sample = ''] = readText('docs/operations/README.md').split('## Doctor');
    const [, failure = '', remedy = ''] = /✗ failure {2}[^:]+: (.+)\n +→ (.+)\n/.exec(sample) ?? [];
    for (const sentence of [failure, remedy]) {
      expect(sentence).to.have.length.above(20);
      expect(sources, sentence).to.include(sentence);
    }
  });

  it('quotes in runbooks what the log really says', () => {
    const runbooks = [...readText('docs/operations/alerts.yml').matchAll(/^ +runbook: (.+)$/gm)];
    const quotes = runbooks.flatMap(([, text = '']) =>
      [...text.matchAll(/"([^"]+)"/g)].map(([, quote = '']) => quote),
    );
    expect(quotes).to.have.length.above(3);
    for (const quote of quotes) expect(sources, quote).to.include(quote);
  });
});

describe('docs/decisions/README.md', () => {
  it('lists every record with its title', () => {
    const listed = [...proseOf('docs/decisions/README.md').matchAll(/^- \[(.+)\]\((0\d{3}-.+)\)$/gm)].map(
      ([, title, file]) => `${file} ${title}`,
    );
    const records = documents.filter((file) => file.startsWith('docs/decisions/0'));
    expect(listed).to.have.members(
      records.map((file) => {
        const title = /^# (.+)$/m.exec(readText(file))?.[1] ?? '';
        expect(Number(title.split('.')[0]), `${file} begins with "# <number>. <title>"`).to.equal(
          Number(/\d{4}/.exec(file)?.[0]),
        );
        return `${file.split('/').at(-1)} ${title}`;
      }),
    );
  });
});

describe('docs/development.md', () => {
  it('has each file and folder of src/ once in the layout, and each folder of src/web/', () => {
    const [, layout = ''] =
      /^## Layout$[^]*?^src\/$([^]*?)^workers\//m.exec(readText('docs/development.md')) ?? [];
    const listed = [...layout.matchAll(/^ {2}([\w.-]+)/gm)].map(([, name]) => name);
    expect(listed).to.have.members(readdirSync(join(root, 'src')));
    const inner = [...layout.matchAll(/^ {4}((?:[\w-]+\/ ?)+)/gm)].flatMap(([, names = '']) =>
      names.split(/\/ ?/),
    );
    const folders = readdirSync(join(root, 'src/web'), { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    expect(inner.filter(Boolean)).to.have.members(folders.map(({ name }) => name));
  });

  it('names functions and types that exist', () => {
    const names = codeIn('docs/development.md').flatMap(
      (text) => /^[A-Za-z]+[a-z][A-Z]\w*/.exec(text)?.[0] ?? [],
    );
    expect(names).to.have.length.above(10);
    for (const name of names) expect(new RegExp(`\\b${name}\\b`).test(sources), name).to.equal(true);
  });
});

/** `key create` and the like: what follows `qrelay` or the file of the command line. */
const commandsIn = (file: string) =>
  [
    ...readText(file).matchAll(/(?:\bqrelay|dist\/src\/cli\.js)(?: --)? ([a-z]+(?: [a-z]+)?)(?=[\s`]|$)/gm),
  ].map(([, text = '']) => text);

/** `key create` and the like, as the help of each command lists them. */
async function commandsBelow(command: string[] = []): Promise<string[]> {
  const runCommandLine = await loadCommandLine();
  let help = '';
  await runCommandLine([...command, '--help'], '0.0.0', { writeOut: (text) => void (help += text) });
  const names = [...(help.split('Commands:\n')[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
  const found = await Promise.all(names.map((name) => commandsBelow([...command, name])));
  return names.length === 0 ? [command.join(' ')] : found.flat();
}
