import { expect } from 'chai';

import { createScanPolicy, readScanHeaders } from '../../src/redirect/scan-policy.ts';
import { iPhoneSafari } from '../support/share.ts';

const verdict = createScanPolicy();
const judge = (headers: Record<string, string>, method = 'GET') =>
  verdict(method, readScanHeaders(Object.entries(headers).flat()));

describe('What counts as a scan (decisions)', () => {
  const counted: Record<string, string> = {
    'Safari on an iPhone': iPhoneSafari,
    'Chrome on Android':
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
    'Firefox on Linux': 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
    curl: 'curl/8.8.0',
    wget: 'Wget/1.24.5',
    'a Python script': 'python-requests/2.32.3',
    'a Node script': 'node',
    'a Go program': 'Go-http-client/2.0',
    okhttp: 'okhttp/4.12.0',
    'an app that scans barcodes': 'BarcodeScanner/4.7',
    'an app that scans QR codes, on iOS': 'QR Scanner/2.1 CFNetwork/1494.0.7 Darwin/23.4.0',
    'an app that scans QR codes, on Android': 'com.scanner.qr/3 Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7)',
    "a scanner app's own browser":
      'Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 QRScan/3.1',
    'an app whose name has two words, the other way round': 'Scan QR/1.0 CFNetwork/1494.0.7 Darwin/23.4.0',
    'no user agent worth the name': '',
  };
  for (const [name, userAgent] of Object.entries(counted)) {
    it(`counts ${name}`, () => {
      expect(judge({ 'user-agent': userAgent })).to.equal(undefined);
    });
  }

  it('counts a request without a user agent', () => {
    expect(judge({})).to.equal(undefined);
  });

  const crawlers: Record<string, string> = {
    Googlebot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    "WhatsApp's link preview": 'WhatsApp/2.23.20.0 A',
    "Slack's link preview": 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    "Facebook's link preview": 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    "Telegram's link preview": 'TelegramBot (like TwitterBot)',
    Twitterbot: 'Twitterbot/1.0',
    'a headless browser':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36',
    'a port scanner': 'masscan/1.3',
    'a port scanner beside a QR code': 'masscan/1.3 (see qr)',
    'a crawler in two words': 'QR ScanBot/1.0',
    'a crawler that looks for QR codes': 'QRScannerBot/1.0',
    'a crawler that has read a QR code': 'Mozilla/5.0 (compatible; Googlebot/2.1) QRScanner/1.0',
    'a crawler that begins like a tool': 'Mozilla/5.0 curlbot spider',
  };
  for (const [name, userAgent] of Object.entries(crawlers)) {
    it(`does not count ${name}`, () => {
      expect(judge({ 'user-agent': userAgent })).to.equal('crawler');
    });
  }

  for (const [header, value] of [
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
    ['x-moz', 'prefetch'],
  ] as const) {
    it(`does not count a request with ${header}: ${value}`, () => {
      expect(judge({ 'user-agent': iPhoneSafari, [header]: value })).to.equal('prefetch');
    });
  }

  it('looks at the first 500 characters of a user agent, and keeps no more of it', () => {
    const long = `${iPhoneSafari} QRScan/1.0 ${'1.'.repeat(8_000)} Googlebot/2.1`;
    const { userAgent } = readScanHeaders(['User-Agent', long]);
    expect(userAgent).to.equal(long.slice(0, 500));
    expect(judge({ 'user-agent': long })).to.equal(undefined);
    expect(judge({ 'user-agent': `Googlebot/2.1 ${long}` })).to.equal('crawler');
  });

  it('does not count HEAD', () => {
    expect(judge({ 'user-agent': iPhoneSafari }, 'HEAD')).to.equal('head');
  });
});
