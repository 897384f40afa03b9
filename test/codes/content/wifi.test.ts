import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseContent } from '../../../src/codes/content/content-types.ts';
import { hostileRows, parsesEach } from './parses-each.ts';

const wifi = (
  networkName: string,
  password: string,
  security: 'WPA' | 'WEP' | 'WPA2-EAP' | 'none',
  payload: string,
) => ({ kind: 'wifi', networkName, password, security, payload }) as const;

describe('the content of a wifi code', () => {
  parsesEach('wifi', [
    [
      'has name, password and security',
      'WIFI:T:WPA;S:net;P:pass;;',
      wifi('net', 'pass', 'WPA', 'WIFI:T:WPA;S:net;P:pass;;'),
    ],
    [
      'may have its fields in any order',
      'WIFI:P:pass;S:net;T:WPA;;',
      wifi('net', 'pass', 'WPA', 'WIFI:T:WPA;S:net;P:pass;;'),
    ],
    [
      'may be in small letters',
      'wifi:t:wpa;s:net;p:pass;;',
      wifi('net', 'pass', 'WPA', 'WIFI:T:WPA;S:net;P:pass;;'),
    ],
    ['may lack its end', 'WIFI:S:net;P:pass', wifi('net', 'pass', 'WPA', 'WIFI:T:WPA;S:net;P:pass;;')],
    [
      'may end with a line break',
      'WIFI:S:net;P:pass\r\n',
      wifi('net', 'pass', 'WPA', 'WIFI:T:WPA;S:net;P:pass;;'),
    ],
    [
      'is WPA where only a password is given',
      'WIFI:S:net;P:pass;;',
      wifi('net', 'pass', 'WPA', 'WIFI:T:WPA;S:net;P:pass;;'),
    ],
    [
      'is WPA for its later versions',
      'WIFI:T:WPA2/WPA3;S:net;P:pass;;',
      wifi('net', 'pass', 'WPA', 'WIFI:T:WPA;S:net;P:pass;;'),
    ],
    [
      'tells the phone of WPA3 only',
      'WIFI:T:SAE;S:net;P:pass;R:1;;',
      wifi('net', 'pass', 'WPA', 'WIFI:T:SAE;S:net;P:pass;R:1;;'),
    ],
    [
      'may be WEP',
      'WIFI:T:WEP;S:net;P:0123456789;;',
      wifi('net', '0123456789', 'WEP', 'WIFI:T:WEP;S:net;P:0123456789;;'),
    ],
    ['may be open', 'WIFI:T:nopass;S:net;;', wifi('net', '', 'none', 'WIFI:T:nopass;S:net;;')],
    [
      'is open where neither type nor password is given',
      'WIFI:S:net;;',
      wifi('net', '', 'none', 'WIFI:T:nopass;S:net;;'),
    ],
    [
      'has no password where it is open',
      'WIFI:T:nopass;S:net;P:x;;',
      wifi('net', '', 'none', 'WIFI:T:nopass;S:net;;'),
    ],
    [
      'may be hidden',
      'WIFI:S:net;P:pass;H:true;;',
      { kind: 'wifi', isHidden: true, payload: 'WIFI:T:WPA;S:net;P:pass;H:true;;' },
    ],
    [
      'is not hidden where that is denied',
      'WIFI:S:net;P:pass;H:false;;',
      { kind: 'wifi', isHidden: false, payload: 'WIFI:T:WPA;S:net;P:pass;;' },
    ],
    [
      'reads escapes',
      'WIFI:S:a\\;b\\,c;P:\\:\\\\\\";;',
      wifi('a;b,c', ':\\"', 'WPA', 'WIFI:T:WPA;S:a\\;b\\,c;P:\\:\\\\\\";;'),
    ],
    [
      'tolerates a colon that was not escaped',
      'WIFI:S:a:b;P:c:d;;',
      wifi('a:b', 'c:d', 'WPA', 'WIFI:T:WPA;S:a\\:b;P:c\\:d;;'),
    ],
    [
      'tolerates a semicolon that was not escaped',
      'WIFI:S:net;P:a;b;;',
      wifi('net', 'a;b', 'WPA', 'WIFI:T:WPA;S:net;P:a\\;b;;'),
    ],
    [
      'tolerates a backslash that was not escaped',
      'WIFI:S:net;P:a\\b;;',
      wifi('net', 'a\\b', 'WPA', 'WIFI:T:WPA;S:net;P:a\\\\b;;'),
    ],
    [
      'takes quotes around a value for what they are',
      'WIFI:S:"CAFE";P:"12345678";;',
      wifi('CAFE', '12345678', 'WPA', 'WIFI:T:WPA;S:"CAFE";P:"12345678";;'),
    ],
    [
      'keeps escaped quotes as a part of the name',
      'WIFI:S:\\"net\\";;',
      wifi('"net"', '', 'none', 'WIFI:T:nopass;S:\\"net\\";;'),
    ],
    [
      'takes what looks hexadecimal as it is written',
      'WIFI:S:CAFE;P:deadbeef;;',
      wifi('CAFE', 'deadbeef', 'WPA', 'WIFI:T:WPA;S:CAFE;P:deadbeef;;'),
    ],
    [
      'keeps spaces of name and password',
      'WIFI:S: net ;P: pass ;;',
      wifi(' net ', ' pass ', 'WPA', 'WIFI:T:WPA;S: net ;P: pass ;;'),
    ],
    [
      'passes on what a company network needs',
      'WIFI:T:WPA2-EAP;S:net;P:pass;E:PEAP;A:anon;I:me@e.com;PH2:MSCHAPV2;;',
      wifi('net', 'pass', 'WPA2-EAP', 'WIFI:T:WPA2-EAP;S:net;P:pass;E:PEAP;A:anon;I:me@e.com;PH2:MSCHAPV2;;'),
    ],
    [
      'believes the first of two names',
      'WIFI:S:one;S:two;;',
      wifi('one', '', 'none', 'WIFI:T:nopass;S:one;;'),
    ],
    [
      'keeps emoji and right-to-left names',
      'WIFI:S:🎉 שלום;;',
      wifi('🎉 שלום', '', 'none', 'WIFI:T:nopass;S:🎉 שלום;;'),
    ],
    [
      'keeps markup as a name',
      'WIFI:S:<script>;;',
      wifi('<script>', '', 'none', 'WIFI:T:nopass;S:<script>;;'),
    ],
    ['is text where no name is given', 'WIFI:T:WPA;P:pass;;', 'text'],
    ['is text where the name is empty', 'WIFI:S:;P:pass;;', 'text'],
    ['is text where there is nothing', 'WIFI:', 'text'],
    ['is text where it is only a name', 'net', 'text'],
    ...hostileRows,
  ]);

  it('parses from its payload to the same network, whatever its name and password', () => {
    const part = fc.string({ unit: 'binary', maxLength: 40 });
    const spiky = fc.string({
      unit: fc.constantFrom('\\', ';', ':', ',', '"', 'a', ' ', 'P', '\n'),
      maxLength: 12,
    });
    const value = fc.oneof(part, spiky);
    fc.assert(
      fc.property(
        value,
        value,
        fc.constantFrom('WPA', 'SAE', 'WEP', 'nopass', 'WPA2-EAP', ''),
        fc.boolean(),
        (name, password, type, quoted) => {
          const quote = quoted ? '"' : '';
          const read = parseContent(
            'wifi',
            `WIFI:T:${type};S:${quote}${name}${quote};P:${password};H:true;;`,
          );
          if (read.kind === 'wifi') expect(parseContent('wifi', read.payload)).to.deep.equal(read);
        },
      ),
    );
  });

  it('unescapes name and password', () => {
    const value = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
    const escaped = (text: string) => text.replace(/[\\;,:"]/g, '\\$&');
    fc.assert(
      fc.property(value, value, (name, password) => {
        const read = parseContent('wifi', `WIFI:T:WPA;S:${escaped(name)};P:${escaped(password)};;`);
        expect(read).to.deep.include({ networkName: name, password });
      }),
    );
  });
});
