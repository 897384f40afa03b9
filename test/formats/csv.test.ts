import { expect } from 'chai';
import { csvLine } from '../../src/formats/csv.ts';

describe('CSV', () => {
  it('has an apostrophe before what a spreadsheet would run as a formula, also in full width', () => {
    for (const start of ['=', '+', '-', '@', '\t', '＝', '＋', '－', '＠'])
      expect(csvLine([`${start}1+1`])).to.equal(`'${start}1+1\r\n`);
    for (const start of ['\r', '\n']) expect(csvLine([`${start}=1`])).to.equal(`"'${start}=1"\r\n`);
    expect(csvLine(['1＋1', -1, null])).to.equal('1＋1,-1,\r\n');
  });
});
