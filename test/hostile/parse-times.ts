import { expect } from 'chai';
import type { Context } from 'koa';
import { parseApiKey } from '../../src/accounts/api-keys.ts';
import { emailErrors } from '../../src/accounts/users.ts';
import { clientAddress } from '../../src/http/client-address.ts';
import {
  composeContent,
  contentFieldNames,
  fieldErrors,
  fieldsOfContent,
} from '../../src/codes/content/content-fields.ts';
import { contentErrors } from '../../src/codes/content/content-errors.ts';
import { hostAndParents, hostsOf, parseHostInput } from '../../src/codes/content/hosts.ts';
import { percentDecode } from '../../src/codes/content/payload-syntax.ts';
import { decodeQuotedPrintable } from '../../src/codes/content/content-lines.ts';
import {
  type CodeType,
  codeTypes,
  contentType,
  parseContent,
} from '../../src/codes/content/content-types.ts';
import { fileAddress, fileNameOf } from '../../src/codes/files/upload.ts';
import { endOfDay } from '../../src/codes/lifetime.ts';
import type { QrCode } from '../../src/codes/qr-code.ts';
import { isShareToken } from '../../src/codes/share-token.ts';
import { attachment } from '../../src/http/file-headers.ts';
import { createAddressPolicy } from '../../src/net/address-policy.ts';
import { createScanPolicy, readScanHeaders } from '../../src/redirect/scan-policy.ts';
import { chooseTranslation, en } from '../../src/redirect/translations.ts';
import { contentPage } from '../../src/redirect/pages/content-page.ts';
import { normalizeReason } from '../../src/web/admin/admin-layout.tsx';
import { compileValidator, normalizeLabels, readQuery } from '../../src/codes/validation.ts';
import { createBody, createDefaults } from '../../src/codes/code-rules.ts';
import { parseForm } from '../../src/web/middleware/forms.ts';
import {
  changedBody,
  changedEnding,
  newBody,
  pageBodyOf,
  shownErrors,
  valuesOf,
} from '../../src/web/codes/form/form-body.ts';
import { readSearch } from '../../src/web/codes/list/list-search.ts';
import { editVersion, mergeEdit, switchForm } from '../../src/web/codes/form/edit-merge.ts';
import { readEndpointForm } from '../../src/web/webhooks/webhooks-routes.ts';
import { unknownPlace } from '../../src/scans/geo-database.ts';
import { createLookups } from '../../workers/enrich.ts';
import { type Shape, adversarialStrings } from './adversarial-strings.ts';

const runs = 10;
/** The capacity of a QR code, the limits of headers and forms, and the length of a stored URL. */
const contentBytes = 2_953;
const headerBytes = 16 * 1024;
const formBytes = 64 * 1024;
const userAgentLength = 500;

/** The keywords of content types. */
const shapes: Partial<Record<CodeType, Omit<Shape, 'bytes'>>> = {
  url: { starts: ['https://', 'https://a/', 'http://[', 'https://xn--'] },
  text: { starts: ['https://', 'a.'], fragments: ['https://'] },
  wifi: {
    starts: ['WIFI:', 'WIFI:T:WPA;S:', 'WIFI:S:"'],
    fragments: ['S:', ';S:a', 'T:WPA;', 'H:true', '\\;', '\\"'],
    known: [`WIFI:S:${'\n'.repeat(2_900)}a`],
  },
  vcard: {
    starts: [
      'BEGIN:VCARD\n',
      'BEGIN:VCARD\nA',
      'BEGIN:VCARD\nA;',
      'BEGIN:VCARD\nFN:a\nNOTE;QUOTED-PRINTABLE:',
      'BEGIN:VCARD\nFN:a\nNOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=gb18030:',
      'BEGIN:VCARD\nFN:a\nTEL;TYPE="',
      'MECARD:',
      'MECARD:N:',
    ],
    fragments: [
      ';QUOTED-PRINTABLE',
      'QUOTED-PRINTABLE:',
      '=\n',
      '=41',
      '=FF ',
      'BEGIN:VCARD\n',
      'END:VCARD\n',
      'TEL:1\n',
      'a.TEL:1\na.X-ABLABEL:b\n',
      'URL:a.b\n',
      'ADR:;\n',
      'EMAIL:a@b.c\n',
      'TEL:12345;',
      'N:a,',
      ';TYPE=a',
    ],
    known: [`BEGIN:VCARD\nA${';QUOTED-PRINTABLE'.repeat(100)}${'\n\t'.repeat(600)}x`],
  },
  email: {
    starts: ['mailto:', 'mailto:a@b.c?', 'mailto:a@b.c?body=', 'MATMSG:', 'MATMSG:TO:', 'a@'],
    fragments: ['a@b.c,', 'a@b.c;', '<a@b.c>', 'TO:', '&amp;', 'cc=', 'subject=a&', 'a@'],
  },
  phone: {
    starts: ['tel:', '+1', 'tel:+1;'],
    fragments: [';ext=', 'ext', 'x1', ';a=', '+49 (0)', '1-800-A'],
  },
  sms: {
    starts: ['sms:', 'SMSTO:1:', 'sms:123?', 'sms:123;'],
    fragments: ['body=', ';body=', '123,', '&amp;'],
  },
  whatsapp: {
    starts: ['whatsapp://send?', 'whatsapp://send?phone=12345&text=', '12345\n'],
    fragments: ['phone=', '&text=', '12345\n', 'https://a '],
  },
  geo: {
    starts: ['geo:', 'geo:1,2?q=', 'geo:1,2;', 'https://a/?q=', '1', '1°'],
    fragments: ['1,', '1.0', 'crs=', '/@1,2', '?q=1,', '(a)', ' N', '%2c'],
  },
  social: {
    starts: ['https://a/', 'www.', 'a:'],
    fragments: [
      'https://a ',
      'https://a,',
      'www.a.b ',
      'x.com/',
      'instagram.com ',
      'https://',
      'https://a\n',
    ],
    known: [`${','.repeat(64_000)}a`, `${';,'.repeat(1_400)}a`],
  },
};

/** Where none are listed, the pieces of the example. */
function shapeOf(type: CodeType): Omit<Shape, 'bytes'> {
  const { example } = contentType(type);
  const lines = example.split(/(?<=\n)/);
  const starts = lines.map((_, index) => lines.slice(0, index).join('')).slice(1);
  return shapes[type] ?? { starts, fragments: example.split(/(?<=[\n:;,])/) };
}

function timed(parse: (text: string) => unknown, text: string): number {
  const start = performance.now();
  const cpu = process.cpuUsage();
  parse(text);
  const { user, system } = process.cpuUsage(cpu);
  // Wall time would include other processes, and processor time the other threads of this one.
  return Math.min(performance.now() - start, (user + system) / 1_000);
}

const codeOf = (type: CodeType, content: string) =>
  ({ ...createDefaults, name: 'a', type, content, category: null, expiresAt: new Date(0) }) as QrCode;

/** Valid values for the other fields of the type. */
function fieldsFor(type: CodeType): Record<string, string> {
  const sound: Record<string, string> = {
    latitude: '1',
    longitude: '2',
    number: '+15551234',
    to: 'a@b.example',
  };
  return Object.fromEntries(contentFieldNames(type).map((name) => [name, sound[name] ?? 'a']));
}

/**
 * Parsers on texts that are made to be slow. Pairs of fragments and several suffixes find more and take most of the time: only
 * the fault tests try them, on a machine with nothing else to do. Beside other tests, a parser gets several times as long,
 * which is still far from what a quadratic one takes.
 */
export function describeParseTimes({ everything }: { everything: boolean }): void {
  const mostMs = everything ? 20 : 100;

  function expectQuick(name: string, shape: Shape, parse: (text: string) => unknown): void {
    it(`${name}: at most ${mostMs} ms for any of ${shape.bytes} bytes`, function () {
      this.timeout(240_000);
      for (const text of adversarialStrings(shape, everything)) {
        let best = timed(parse, text);
        // A busy machine slows down single runs, not all of them.
        for (let run = 1; run < runs && best > mostMs; run += 1) best = Math.min(best, timed(parse, text));
        expect(best, JSON.stringify(`${text.slice(0, 60)}…${text.slice(-20)}`)).to.be.at.most(mostMs);
      }
    });
  }

  describe('The time to parse stored content', () => {
    for (const type of codeTypes) {
      const shape = { ...shapeOf(type), bytes: contentBytes };
      expectQuick(`${type}, checked, and its hosts`, shape, (text) => {
        contentErrors({ type, content: text, errorCorrection: 'L' }, 'https://qr.test');
        hostsOf(type, text).flatMap(hostAndParents);
      });
      expectQuick(`${type}, as the fields of a form`, shape, (text) => fieldsOfContent(type, text));
      expectQuick(`${type}, read, and as a page`, shape, (text) =>
        contentPage({
          name: 'a',
          token: 'a',
          content: parseContent(type, text),
          translation: en,
          reportHref: undefined,
        }),
      );
    }
  });

  describe('The time to handle a posted form', () => {
    for (const type of codeTypes) {
      for (const name of contentFieldNames(type)) {
        const stored = codeOf(type, 'a');
        const shape = { ...shapeOf(type), starts: shapeOf(type).starts?.slice(0, 1) ?? [] };
        const post = (text: string) => {
          const values = { ...valuesOf(stored).values, ...fieldsFor(type), [name]: text };
          newBody(type, values, stored);
          shownErrors(type, values, false, [], true);
        };
        expectQuick(`${type}, ${name}`, { ...shape, bytes: contentBytes }, post);
        // Values that are rejected for their length cost nothing more, so a few are enough.
        expectQuick(`${type}, ${name}, too long`, { bytes: formBytes, isTooLong: true }, (text) => {
          post(text);
          const values = { ...valuesOf(stored).values, ...fieldsFor(type), [name]: text };
          changedBody(stored, type, values, false);
          changedEnding(stored, { ...values, afterExpiryUrl: text });
          mergeEdit(stored, { type, values, isRaw: false }, editVersion(stored, false));
          for (const other of codeTypes) switchForm({ type, values, isRaw: false }, other, undefined);
        });
      }
    }

    it('is bounded for every type and field', () => {
      for (const type of codeTypes) {
        const values = Object.fromEntries(contentFieldNames(type).map((name) => [name, 'a'.repeat(800)]));
        expect(timed(() => [composeContent(type, values), fieldErrors(type, values)], '')).to.be.at.most(
          mostMs,
        );
      }
    });

    expectQuick('a last day', { bytes: formBytes, starts: ['2030-01-01', '2030-'] }, endOfDay);
    expectQuick('an email address', { bytes: formBytes, starts: ['a@'], fragments: ['a@'] }, (text) =>
      emailErrors('email', text),
    );
    expectQuick('a version', { bytes: formBytes, fragments: ['content.a ', 'a.b '] }, (text) =>
      mergeEdit(codeOf('url', 'https://a/'), { type: 'url', values: { content: 'b' }, isRaw: true }, text),
    );
  });

  describe('The time to normalize labels', () => {
    /** Normalizing them sorts each mark of the second kind before all of the first kind. */
    const marks = (count: number) => `a${'\u0301'.repeat(count)}${'\u0323'.repeat(count)}`;
    const lines = Array.from({ length: 200 }, () => marks(199)).join('\n');
    const shape: Shape = { bytes: formBytes, known: [marks(formBytes / 4), marks(399), lines] };
    const posted = (name: string, text: string) => ({ request: { body: { [name]: text } } }) as Context;
    expectQuick('in a body', shape, (text) =>
      normalizeLabels({ name: text, category: text, title: text, text, alt: text }),
    );
    expectQuick('of a page', shape, (text) => pageBodyOf({ pageTitle: text, pageText: text }));
    expectQuick('in a search', shape, (text) => readSearch({ query: { q: text } } as unknown as Context));
    expectQuick('of an endpoint', shape, (text) => {
      const policy = createAddressPolicy([]);
      readEndpointForm(posted('name', text), policy);
      readEndpointForm(posted('categories', text), policy);
    });
    expectQuick('as the reason of an operator', shape, normalizeReason);
    expectQuick('as the name of an uploaded file', shape, (text) =>
      fileAddress('https://qr.test', 'a', fileNameOf(text, 'image/png')),
    );
  });

  describe('The time to parse a form', () => {
    const many = (pair: (number: number) => string) =>
      Array.from({ length: 1_000 }, (_, number) => pair(number)).join('&');
    const shape: Shape = {
      bytes: formBytes,
      starts: ['a=', 'a['],
      fragments: ['%ff=%ff&', '%ff', 'a[]=1&', 'a=1&', '[a]', '.a', '&'],
      known: [
        many((number) => `k${number}${'['.repeat(58)}=1`),
        many((number) => `k${number}${'.a'.repeat(29)}=1`),
      ],
    };
    expectQuick('as it was posted', shape, parseForm);
  });

  describe('The time to parse the headers and the URL of a request', () => {
    const verdict = createScanPolicy();
    const userAgents = {
      starts: ['Mozilla/5.0 (Linux; Android 10; ', 'curl', 'qr', 'scan', 'com.qr.'],
      fragments: [
        'qr',
        'scan',
        'bar',
        'bar-code',
        'barcode',
        'bot',
        'crawl',
        'ASCANS',
        'qrscan',
        'qr ',
        'scan.',
      ],
      known: ['qr'.repeat(350), 'qr'.repeat(8_000), 'ASCANS'.repeat(2_000)],
    };
    const headers = (name: string, text: string) => readScanHeaders([name, text.replace(/[\r\n]/g, ' ')]);
    expectQuick('a user agent, to count it or not', { ...userAgents, bytes: headerBytes }, (text) =>
      verdict('GET', headers('User-Agent', text)),
    );
    for (const name of ['Sec-Purpose', 'Purpose', 'X-Moz']) {
      expectQuick(name, { bytes: headerBytes, fragments: ['prefetch', 'pre', 'prerende'] }, (text) =>
        verdict('GET', headers(name, text)),
      );
    }
    const agents = createLookups({ find: () => unknownPlace });
    expectQuick(
      'a user agent, in the worker',
      {
        ...userAgents,
        bytes: userAgentLength,
        fragments: [
          ...userAgents.fragments,
          'Version/',
          'Android ',
          'Build/',
          'sm-',
          'mobile ',
          'hbbtv/1.0 (',
          'like Gecko',
          '; ',
          'Windows NT ',
          'mini ',
          'nokia',
          'mac os x',
          'opera/',
        ],
      },
      (text) => agents.agent(text),
    );
    for (const hops of [1, 3, 16]) {
      expectQuick(
        `X-Forwarded-For, ${hops} hops`,
        {
          bytes: headerBytes,
          starts: ['[', '::ffff:'],
          fragments: ['1.', '::', '::ffff:', '1.2.3.4:', '[::1],'],
        },
        (text) => clientAddress('::1', headers('X-Forwarded-For', text).forwardedFor, hops),
      );
    }
    expectQuick(
      'Accept-Language',
      { bytes: headerBytes, fragments: ['de,', 'de;q=0.1,', ';q='] },
      chooseTranslation,
    );
    expectQuick('an API key', { bytes: headerBytes, starts: ['qrl_'] }, parseApiKey);
    expectQuick('a share token', { bytes: headerBytes }, isShareToken);
    expectQuick('the name of a file', { bytes: contentBytes }, (text) => attachment(text, 'vcf', 'contact'));
    const manyNames = Array.from({ length: 4_000 }, (_, index) => index.toString(36)).join('&');
    expectQuick('a query', { bytes: headerBytes, fragments: ['a=b&'], known: [manyNames] }, (text) =>
      readQuery(createBody, text),
    );
  });

  describe('The time to parse parts of content', () => {
    expectQuick(
      'percent-encoding',
      { bytes: contentBytes, fragments: ['%E4', '%F0%9F', '%00'] },
      percentDecode,
    );
    for (const charset of [undefined, 'utf-8', 'gb18030', 'no-such-charset']) {
      expectQuick(
        `quoted-printable, ${charset}`,
        { bytes: contentBytes, fragments: ['=41', '=FF', '=4', '=FF '] },
        (text) => decodeQuotedPrintable(text, charset),
      );
    }
    expectQuick(
      'a host that an operator types',
      { bytes: contentBytes, starts: ['http://'] },
      parseHostInput,
    );
  });

  describe('The time to validate the body of an API request', () => {
    const validate = compileValidator(createBody);
    for (const name of ['name', 'category', 'type', 'content', 'foregroundColor', 'size', 'no such field']) {
      expectQuick(name, { bytes: formBytes, fragments: ['{"a":', '[['] }, (text) => {
        validate({ name: 'a', content: 'b', [name]: text });
        contentErrors({ content: text, type: 'url', errorCorrection: undefined }, 'https://qr.test');
      });
    }
  });
}
