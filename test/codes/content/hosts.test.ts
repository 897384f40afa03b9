import { expect } from 'chai';
import { hostsOf, hostAndParents, parseHostInput } from '../../../src/codes/content/hosts.ts';
import type { CodeType } from '../../../src/codes/content/content-types.ts';

const card = (...lines: string[]) =>
  ['BEGIN:VCARD', 'VERSION:3.0', 'FN:Ada', ...lines, 'END:VCARD'].join('\r\n');

describe('The hosts that a code links to', () => {
  const expected: [CodeType, string, string[]][] = [
    ['url', 'https://example.com/menu', ['example.com']],
    ['url', 'HTTP://WWW.Example.COM.:8080/', ['www.example.com']],
    ['url', 'https://bücher.example/', ['xn--bcher-kva.example']],
    ['url', 'https://%65xample.com/', ['example.com']],
    ['url', 'http://0x7f.1/', ['127.0.0.1']],
    ['url', 'http://[2001:DB8:0:0::1]/', ['[2001:db8::1]']],
    ['url', 'http://[::ffff:6.6.6.6]/', ['6.6.6.6']],
    ['url', 'http://[0:0:0:0:0:FFFF:a01:2ff]/', ['10.1.2.255']],
    ['url', 'http://[64:ff9b::606:606]/', ['6.6.6.6']],
    ['url', 'http://[64:ff9b:0:0:0:0:6.6.6.6]/', ['6.6.6.6']],
    ['url', 'http://[64:ff9b:1::6.6.6.6]/', ['6.6.6.6']],
    ['url', 'http://[::6.6.6.6]/', ['6.6.6.6']],
    ['url', 'http://[::606:606]/', ['6.6.6.6']],
    ['url', 'http://[::ffff:0:6.6.6.6]/', ['6.6.6.6']],
    ['url', 'http://[2002:606:606::1]/', ['6.6.6.6']],
    ['url', 'http://[2002:606:606:1:2:3:4:5]/', ['6.6.6.6']],
    ['url', 'http://[::1]/', ['[::1]']],
    ['url', 'http://[::]/', ['[::]']],
    ['url', 'http://101058054/', ['6.6.6.6']],
    ['url', 'http://0x06060606/', ['6.6.6.6']],
    ['url', 'http://06.06.06.06/', ['6.6.6.6']],
    ['url', 'http://6.6.1542/', ['6.6.6.6']],
    ['url', 'http://6.6.6.6./', ['6.6.6.6']],
    ['url', 'https:evil.example', ['evil.example']],
    ['url', String.raw`https:\\\\evil.example\@good.example/`, ['evil.example']],
    ['url', 'https://evil。example/', ['evil.example']],
    ['url', 'https://ev\u00adil.example/', ['evil.example']],
    ['url', 'https://good.example/?next=https://evil.example/', ['good.example']],
    [
      'social',
      'https://one.example/a https://two.example/b https://one.example/c',
      ['one.example', 'two.example'],
    ],
    ['social', 'instagram.com/me', ['instagram.com']],
    ['whatsapp', '+15551234567', ['wa.me']],
    ['vcard', card('URL:https://one.example/', 'URL:two.example/me'), ['one.example', 'two.example']],
    ['vcard', card('TEL:+15551234', 'EMAIL:ada@example.com'), []],
    ['vcard', card('NOTE:Look at https://evil.example/ now'), ['evil.example']],
    ['vcard', card(String.raw`SOURCE:https\://evil.example/`), ['evil.example']],
    ['vcard', card('PHOTO;VALUE=uri:https://evil.ex', ' ample/a.png'), ['evil.example']],
    ['vcard', 'MECARD:N:Ada;URL:https://evil.example/;;', ['evil.example']],
    ['text', 'https://example.com/', ['example.com']],
    ['text', 'https://bank.example@evil.example/', ['evil.example']],
    ['text', 'Not a link, though it names example.com', []],
    ['text', 'evil.example/win', ['evil.example']],
    ['text', 'Go to HTTPS://evil.example. Now', ['evil.example']],
    ['text', 'URLTO:https://evil.example/', ['evil.example']],
    ['text', 'https://good.example/?next=https://evil.example/', ['good.example']],
    ['wifi', 'https://evil.example/', ['evil.example']],
    [
      'social',
      'https://a.example/ https://b.example/ https://bank.example@evil.example/',
      ['a.example', 'b.example', 'evil.example'],
    ],
    ['text', 'javascript://example.com/%0aalert(1)', []],
    ['geo', 'https://maps.example/abc', ['maps.example']],
    ['geo', '52.5,13.4', []],
    ['email', 'ada@example.com', []],
    ['phone', '+15551234', []],
    ['geo', 'https://evil.example/?q=52.5,13.4', ['evil.example']],
    ['geo', ' https://EVIL.example./@52.5,13.4,17z ', ['evil.example']],
    ['sms', 'SMSTO:+15551234:https://example.com/', []],
    ['wifi', 'WIFI:T:WPA;S:example.com;P:secret;;', []],
  ];
  for (const [type, content, hosts] of expected) {
    it(`are ${JSON.stringify(hosts)} for ${type} ${JSON.stringify(content)}`, () => {
      expect(hostsOf(type, content)).to.deep.equal(hosts);
    });
  }

  it('are matched by themselves and by each parent domain', () => {
    expect(hostAndParents('a.b.example.com')).to.deep.equal([
      'a.b.example.com',
      'b.example.com',
      'example.com',
      'com',
    ]);
  });

  it('have no parent where they are IP addresses', () => {
    expect(hostAndParents('192.0.2.1')).to.deep.equal(['192.0.2.1']);
    expect(hostAndParents('[2001:db8::1]')).to.deep.equal(['[2001:db8::1]']);
  });

  it('are matched by no name that is longer than DNS allows, but by shorter parents', () => {
    const names = hostAndParents(`${'a.'.repeat(1_400)}example.com`);
    expect(Math.max(...names.map((name) => name.length))).to.be.at.most(253);
    expect(names.slice(-2)).to.deep.equal(['example.com', 'com']);
  });
});

describe('A host typed by a person', () => {
  for (const [written, host] of [
    ['example.com', 'example.com'],
    [' Example.COM. ', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.example.com', 'example.com'],
    ['.example.com', 'example.com'],
    ['example.com:8080', 'example.com'],
    ['example.com/path?q#f', 'example.com'],
    ['https://user@www.example.com:8443/path', 'www.example.com'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '[2001:db8::1]'],
    ['http://[2001:db8::1]/', '[2001:db8::1]'],
  ] as const) {
    it(`is ${host} for ${JSON.stringify(written)}`, () => expect(parseHostInput(written)).to.equal(host));
  }

  for (const written of [
    '',
    ' ',
    '.',
    'not a host',
    'ftp://example.com/',
    'mailto:ada@example.com',
    'ada@example.com',
    'http://',
    'exa*mple.com',
    'a..b.example',
    '999.1.1.1',
    `${'a'.repeat(64)}.example`,
  ]) {
    it(`is none for ${JSON.stringify(written)}`, () => expect(parseHostInput(written)).to.equal(undefined));
  }
});
