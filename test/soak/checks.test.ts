import { expect } from 'chai';
import { seededRandom } from '../../src/demo/demo-scans.ts';
import { type CodeCounts, compareCounts } from './checks.ts';
import { checkMemory } from './memory.ts';
import { shuffled } from './random.ts';

const row = (recorded: number, counted = recorded): CodeCounts => ({
  id: 'code',
  scans: String(recorded),
  totals: String(counted),
  browsers: String(counted),
});

describe('The checks of a soak', () => {
  const failed = (counts: CodeCounts, redirects: number, broken: number) =>
    compareCounts([counts], new Map([['code', { redirects, broken }]]))
      .filter(({ problems }) => problems.length > 0)
      .map(({ title }) => title);
  const once = 'every redirect of every code is recorded once';

  it('accept a scan for each redirect, and up to one more for each request that broke', () => {
    expect(failed(row(100), 100, 0)).to.deep.equal([]);
    expect(failed(row(102), 100, 2)).to.deep.equal([]);
  });

  it('find a scan that was lost, one that was counted twice, and scans of a code that nobody scanned', () => {
    expect(failed(row(99), 100, 2)).to.deep.equal([once]);
    expect(failed(row(103), 100, 2)).to.deep.equal([once]);
    expect(compareCounts([row(1)], new Map())[0]?.problems).to.have.length(1);
  });

  it('find counters that differ from the scans', () => {
    expect(failed(row(100, 101), 100, 0)).to.deep.equal(['counters equal scans']);
  });

  it('find memory that grows over an hour, and let pass what only fills at first', () => {
    const memory = (bytes: (minute: number) => number) => [
      {
        name: 'web 1',
        lifetimes: [
          {
            pid: 1,
            memory: Array.from({ length: 61 }, (_, minute) => ({
              atMs: minute * 60_000,
              bytes: bytes(minute) * 1e6,
            })),
          },
        ],
      },
    ];
    expect(checkMemory(memory((minute) => 200 + minute)).problems).to.have.length(1);
    expect(checkMemory(memory((minute) => 200 + Math.min(5, minute) * 20)).problems).to.deep.equal([]);
  });

  it('belong to faults that the seed determines', () => {
    const kinds = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(shuffled(seededRandom(7), kinds)).to.deep.equal(shuffled(seededRandom(7), kinds));
    expect(shuffled(seededRandom(7), kinds)).to.have.members(kinds);
    expect(shuffled(seededRandom(7), kinds)).to.not.deep.equal(shuffled(seededRandom(8), kinds));
  });
});
