import { expect } from 'chai';
import { columnNames } from '../../src/scans/dimensions.ts';
import { publicFields } from '../../src/scans/scan.ts';
import { scanShape } from '../../src/web/api/scans.ts';

describe('The public fields of a scan', () => {
  it('are those that the API documents, and so webhooks send every dimension', () => {
    expect(publicFields).to.have.members(Object.keys(scanShape.properties)).and.include.members(columnNames);
  });
});
