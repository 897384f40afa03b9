// Inputs: src/codes, src/runtime, src/telemetry, src/errors.ts, src/limits.ts, src/schema.ts
import { expect } from 'chai';
import { defaultDesign } from '../../../src/codes/design/design.ts';
import type { Picture } from '../../../src/codes/image/draw.ts';
import { openProofs, provenPicture } from '../../../src/codes/proof/proofs.ts';
import { prove } from '../../../src/codes/proof/prove.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { eventually } from '../../support/eventually.ts';
import { testLog } from '../../support/test-log.ts';
import { designed, plain } from '../design/designs.ts';

const caller = { key: 'an account' };

describe('The proof of a design', () => {
  it('says that the default design is read when it is printed 15 mm wide', async () => {
    expect(await prove({ ...plain, design: defaultDesign })).to.deep.equal({
      readsAtMm: 15,
      remedy: null,
      undrawable: null,
    });
  });

  const unreadable: [string, Picture, string | undefined][] = [
    ['pale modules', designed({ moduleShape: 'dots' }, { foregroundColor: '#c8c8c8' }), 'foregroundColor'],
    [
      'a dark background',
      designed({ moduleShape: 'dots' }, { backgroundColor: '#2a2420' }),
      'backgroundColor',
    ],
    ['a gradient that fades away', designed({ gradientColor: '#fafafa' }), 'gradientColor'],
    ['light on dark', designed({}, { foregroundColor: '#ffffff', backgroundColor: '#000000' }), undefined],
  ];
  for (const [what, picture, field] of unreadable) {
    it(`finds that ${what} cannot be read${field ? `, and that another ${field} helps` : ''}`, async () => {
      const { readsAtMm, remedy } = await prove(picture);
      expect(readsAtMm).to.equal(null);
      expect(remedy?.field).to.equal(field);
    });
  }

  it('names a larger size, and what would make it smaller, where there are many modules', async () => {
    const text = `https://qr.test/r/${'x'.repeat(20)}`;
    const { readsAtMm, remedy } = await prove(
      designed({ moduleShape: 'dots' }, { text, errorCorrection: 'H' }),
    );
    expect(readsAtMm).to.equal(20);
    expect(remedy).to.deep.equal({ field: 'errorCorrection', value: 'L' });
  });

  it('does not promise a size at which colors that differ are not read in pale print', async () => {
    const design = {
      eyeFrameColor: '#90823a',
      transparentBackground: true,
      quietZone: 5,
      frame: 'card',
      frameText: 'Scan mich',
    } as const;
    const code = {
      text: 'https://q.to/r/gtp3HcRbF1',
      errorCorrection: 'H',
      foregroundColor: '#1a1410',
    } as const;
    const { readsAtMm, remedy } = await prove(designed(design, code));
    expect(readsAtMm).to.equal(null);
    expect(remedy?.field).to.equal('eyeFrameColor');
  });

  it('reads codes with a frame text in other scripts', async () => {
    for (const [frame, frameText] of [
      ['band', 'امسح الرمز للقائمة'],
      ['card', 'สแกนเพื่อดูเมนู'],
      ['bubble', 'Quét mã để đặt món'],
    ] as const) {
      const { readsAtMm, undrawable } = await prove(designed({ frame, frameText, quietZone: 2 }));
      expect(readsAtMm, frameText).to.be.within(15, 20);
      expect(undrawable).to.equal(null);
    }
  });

  it('names a character that cannot be drawn', async () => {
    const { readsAtMm, undrawable } = await prove(designed({ frame: 'card', frameText: 'Hi ཀ' }));
    expect([readsAtMm, undrawable]).to.deep.equal([null, 'ཀ']);
  });
});

const childProcesses = () =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'ProcessWrap').length;

describe('The proof process', () => {
  it('proves a picture once, refuses excess requests of one account, and gives others their turn', async () => {
    const proofs = openProofs(testLog(), { waitingPerKey: 2 });
    try {
      const picture = (number: number) =>
        designed({ moduleShape: 'dots', gradientAngle: number, gradientColor: '#300000' });
      const [first, again, second] = [
        proofs.prove(caller, picture(1)),
        proofs.prove(caller, picture(1)),
        proofs.prove(caller, picture(2)),
      ];
      const refusal = await proofs.prove(caller, picture(3)).catch((error: unknown) => error);
      expect(refusal)
        .to.be.an('error')
        .with.property('message', 'The design cannot be proven right now. Try again shortly.');
      // Another account does not wait for those of the first.
      const order: string[] = [];
      const other = proofs.prove({ key: 'another' }, picture(4)).then(() => order.push('other'));
      await Promise.all([other, second.then(() => order.push('second'))]);
      expect(order).to.deep.equal(['other', 'second']);
      expect(await again).to.equal(await first);
      expect((await proofs.prove(caller, picture(3))).readsAtMm).to.equal(15);
    } finally {
      await proofs.close();
    }
  });

  it('ends after a time without a proof, and starts again with the next one', async () => {
    const lines: string[] = [];
    const log = createLog('test', 'info', { write: (line) => lines.push(line) });
    const proofs = openProofs(log, { idleMs: 1 });
    try {
      const before = childProcesses();
      expect((await proofs.prove(caller, plain)).readsAtMm).to.equal(15);
      expect(childProcesses()).to.equal(before + 1);
      await eventually(() => expect(childProcesses()).to.equal(before));
      expect((await proofs.prove(caller, designed({ moduleShape: 'dots' }))).readsAtMm).to.equal(15);
      // It was not started again for nothing: that is a warning.
      expect(lines).to.deep.equal([]);
    } finally {
      await proofs.close();
    }
  });

  it('rejects after it was closed', async () => {
    const proofs = openProofs(testLog());
    await proofs.close();
    const refusal = await proofs.prove(caller, plain).catch((error: unknown) => error);
    expect(refusal).to.be.an('error').with.property('message', 'The proof process has exited');
  });

  it('treats pictures that differ only in pixel size as the same', () => {
    expect(provenPicture({ ...plain, size: 128 })).to.equal(provenPicture(plain));
    expect(provenPicture(designed({ moduleShape: 'dots' }))).to.not.equal(provenPicture(plain));
  });
});
