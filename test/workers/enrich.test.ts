import { expect } from 'chai';
import { newScanId } from '../../src/scans/scan-id.ts';
import { bundledPlaces } from '../../workers/places.ts';
import { createLookups, enrich, type Lookups } from '../../workers/enrich.ts';
import { iPhoneValues } from '../support/scan-rows.ts';
import { iPhoneSafari } from '../support/share.ts';

describe('Enrichment (decisions: Scans and analytics)', () => {
  let lookUps: Lookups;
  before(() => {
    lookUps = createLookups(bundledPlaces());
  });
  const codeId = '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11';

  it('takes scannedAt from the id, to the millisecond', () => {
    const at = Date.UTC(2026, 10, 28, 9, 31, 43, 618);
    const { scannedAt } = enrich({ id: newScanId(at), codeId, userAgent: '', address: '' }, lookUps);
    expect(scannedAt.toISOString()).to.equal('2026-11-28T09:31:43.618Z');
  });

  it('knows an iPhone in St Albans', () => {
    const row = enrich(
      { id: newScanId(0), codeId, userAgent: iPhoneSafari, address: '81.2.69.142' },
      lookUps,
    );
    expect(row).to.include({ ...iPhoneValues, region: 'ENG', city: 'St Albans' });
    expect(row.latitude).to.be.closeTo(51.75, 0.05);
    expect(row.longitude).to.be.closeTo(-0.33, 0.05);
  });

  it('calls an unknown country ZZ and leaves city and coordinates null', () => {
    for (const address of ['127.0.0.1', '10.1.2.3', '::1', '', 'not an address', '999.1.1.1']) {
      expect(lookUps.place(address), address).to.deep.equal({
        country: 'ZZ',
        region: null,
        city: null,
        latitude: null,
        longitude: null,
      });
    }
  });

  it('looks up IPv6', () => {
    expect(lookUps.place('2a00:1450:4001:81b::200e').country)
      .to.match(/^[A-Z]{2}$/)
      .and.not.equal('ZZ');
  });

  const agents: [name: string, userAgent: string, device: string, browser: string, os: string][] = [
    [
      'Chrome on Windows',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
      'desktop',
      'Chrome',
      'Windows',
    ],
    [
      'Safari on a Mac',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
      'desktop',
      'Safari',
      'Mac OS',
    ],
    [
      'Firefox on Ubuntu',
      'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
      'desktop',
      'Firefox',
      'Ubuntu',
    ],
    [
      'Chrome on Android',
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
      'mobile',
      'Chrome',
      'Android',
    ],
    [
      'an iPad',
      'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
      'tablet',
      'Mobile Safari',
      'iOS',
    ],
    [
      'a television',
      'Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) 76.0.3809.146/6.0 TV Safari/537.36',
      'smarttv',
      'Safari',
      'Tizen',
    ],
    [
      'a PlayStation',
      'Mozilla/5.0 (PlayStation; PlayStation 5/2.26) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15',
      'console',
      'Safari',
      'PlayStation',
    ],
    ['curl', 'curl/8.8.0', 'unknown', 'Unknown', 'Unknown'],
    ['nothing', '', 'unknown', 'Unknown', 'Unknown'],
  ];
  for (const [name, userAgent, device, browser, os] of agents) {
    it(`reads ${name} as ${device}, ${browser}, ${os}`, () => {
      expect(lookUps.agent(userAgent)).to.deep.equal({ device, browser, os });
    });
  }

  it('keeps client-controlled names short', () => {
    const { browser, os } = lookUps.agent(`${'x'.repeat(400)}/1.0 Firefox${'y'.repeat(400)}/1`);
    expect(browser.length).to.be.at.most(64);
    expect(os.length).to.be.at.most(64);
  });
});
