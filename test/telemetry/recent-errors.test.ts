import { expect } from 'chai';
import { createLog, createRecentErrors } from '../../src/telemetry/log.ts';

describe('The recent errors of a process', () => {
  function watchedLog() {
    const lines: string[] = [];
    const errors = createRecentErrors();
    return {
      lines,
      errors,
      log: createLog('test', 'info', errors.watch({ write: (line) => lines.push(line) })),
    };
  }

  it('are the warnings and errors that it logged, the latest first, each message once', () => {
    const { log, errors, lines } = watchedLog();
    log.info('not an error');
    log.warn({ times: 3 }, 'a replica failed');
    log.error(
      { err: Object.assign(new Error('select 1 - out of memory'), { code: '53200' }) },
      'request failed',
    );
    log.warn('a replica failed');
    expect(lines).to.have.length(4);
    const listed = errors.list();
    expect(listed.map(({ level, message, cause, times }) => [level, message, cause, times])).to.deep.equal([
      ['warning', 'a replica failed', '', 4],
      ['error', 'request failed', '53200: out of memory', 1],
    ]);
    for (const { lastAt } of listed) expect(new Date(lastAt).toISOString()).to.equal(lastAt);
  });

  it('are bounded in number and length, whatever is logged', () => {
    const { log, errors, lines } = watchedLog();
    for (let number = 0; number < 100; number += 1) log.error(`${number} ${'x'.repeat(1_000)}`);
    log.error({ err: new Error('y'.repeat(100_000)) }, 'too long to be parsed');
    expect(lines).to.have.length(101);
    const listed = errors.list();
    expect(listed).to.have.length(20);
    expect(listed[0]?.message)
      .to.match(/^99 x+$/)
      .and.to.have.length(300);
  });

  it('do not depend on lines that are no JSON', () => {
    const written: string[] = [];
    const errors = createRecentErrors();
    const destination = errors.watch({ write: (line) => written.push(line) });
    for (const line of ['{"level":50,broken', 'plain text', '']) destination.write(line);
    expect(written).to.have.length(3);
    expect(errors.list()).to.deep.equal([]);
  });
});
