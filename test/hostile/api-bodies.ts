import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type ApiRow, creating, made, menu, notJson, refused, tooLong, unread } from './api-row.ts';

const valid = JSON.stringify(menu);
const bytes = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding);
/** The valid body with another field, as raw JSON. */
const plus = (text: string) => valid.replace('{', `{${text},`);
const padded = (length: number) => valid + ' '.repeat(length - valid.length);
const chunked = (...chunks: string[]) =>
  `${[...chunks, ''].map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}`).join('\r\n')}\r\n`;
const inChunks: [string, string][] = [['Transfer-Encoding', 'chunked']];
const typed = (type: string): [string, string][] => [['Content-Type', type]];
const coded = (coding: string): [string, string][] => [['Content-Encoding', coding]];

const badJson = refused({ body: 'must be valid JSON' });
const badUtf8 = refused({ body: 'must be encoded in UTF-8' });
const empty = refused({ body: 'must be a JSON object, but is empty' });
const notAnObject = refused({ body: 'must be a JSON object' });
const unknown = (field: string) => refused({ [field]: 'is not a field of this request' });

/** Invalid bytes, which are rejected before any field is checked. */
export const bodyRows: ApiRow[] = [
  creating('a byte order mark before the JSON', bytes(`\ufeff${valid}`, 'utf8'), made(menu)),
  creating('two byte order marks', bytes(`\ufeff\ufeff${valid}`, 'utf8'), badJson),
  creating('UTF-16 with a byte order mark', bytes(`\ufeff${valid}`, 'utf16le'), badUtf8),
  creating('UTF-16 without one', bytes(valid, 'utf16le'), badJson),
  creating('UTF-8 that calls itself UTF-16', valid, made(menu), typed('application/json; charset=utf-16')),
  creating('UTF-8 that calls itself Latin-1', valid, made(menu), typed('application/json; charset=latin1')),
  creating('UTF-7', '+AHs-+ACI-name+ACI-+ADo-1+AH0-', badJson, typed('application/json; charset=utf-7')),
  creating('NUL bytes behind the JSON', `${valid}\0\0`, badJson),
  creating('a form feed between two fields', valid.replace(',', ',\f'), badJson),
  creating('a no-break space between two fields', valid.replace(',', ',\u00a0'), badJson),
  creating('every space that JSON knows', `\r\n\t ${valid}\r\n\t `, made(menu)),
  creating('a text of JSON in a text', JSON.stringify(valid), notAnObject),
  creating('a number past every double', '1e999', notAnObject),
  creating('Infinity', plus('"size":Infinity'), badJson),
  creating('a hexadecimal number', plus('"size":0x200'), badJson),
  creating('a number with a plus', plus('"size":+512'), badJson),
  creating('a number with a leading zero', plus('"size":0512'), badJson),
  creating('undefined', plus('"size":undefined'), badJson),
  creating('a key without quotes', plus('size:512'), badJson),
  creating('a comment to the end of the line', `// a code\n${valid}`, badJson),
  creating('JSON as a script would load it', `)]}',\n${valid}`, badJson),
  creating('two documents, one a line', `${valid}\n${valid}`, badJson),
  creating('an escape that does not exist', valid.replace('Menu', String.raw`\x41`), badJson),
  creating('half an escape', valid.replace('Menu', String.raw`\u00`), badJson),
  creating('an entity of XML', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', badJson),
  creating('one key three times, of three types', plus('"name":7,"name":null'), made(menu)),
  creating(
    'a key once more, with an escape in it',
    valid.replace('}', String.raw`,"n\u0061me":7}`),
    refused({ name: 'must be a string' }),
  ),
  creating(
    '__proto__ with an escape in it',
    plus(String.raw`"\u005f_proto__":{"size":1}`),
    unknown('__proto__'),
  ),
  creating('prototype', plus('"prototype":{"size":1}'), unknown('prototype')),
  creating('__defineGetter__', plus('"__defineGetter__":1'), unknown('__defineGetter__')),
  creating('toJSON', plus('"toJSON":"x"'), unknown('toJSON')),
  creating('then, as a promise has it', plus('"then":"x"'), unknown('then')),
  creating('a key without a letter', plus('"":1'), unknown('')),
  creating('a key that is a NUL', plus(String.raw`"\u0000":1`), unknown('\0')),
  creating('a key that is half of a character', plus(String.raw`"\ud83d":1`), unknown('\ud83d')),
  creating('a key with line breaks', plus(String.raw`"a\r\nb":1`), unknown('a\r\nb')),
  creating('a key of 10,000 characters', plus(`"${'k'.repeat(10_000)}":1`), unknown(`${'k'.repeat(64)}…`)),
  creating(
    'a key that is markup',
    plus('"<script>alert(1)</script>":1'),
    unknown('<script>alert(1)</script>'),
  ),
  creating('a path as a key', plus('"size/0":1'), unknown('size/0')),
  creating('exactly 65,536 bytes', padded(65_536), made(menu)),
  creating('65,537 bytes', padded(65_537), tooLong),
  creating('65,536 bytes in chunks', chunked(padded(65_536)), made(menu), inChunks),
  creating('65,537 bytes in chunks', chunked(padded(65_536), ' '), tooLong, inChunks),
  creating('chunks of one byte', chunked(...valid), made(menu), inChunks),
  creating('chunks without a byte', chunked(), empty, inChunks),
  creating('a length of nothing', '', empty),
  creating('a length that cuts the body', valid, unread, [['Content-Length', '20']]),
  creating('neither a length nor a body', '', empty, [['X-Nothing', 'sent']]),
  creating('gzip that is not called so', gzipSync(valid), badUtf8),
  creating('gzip in gzip, called so once', gzipSync(gzipSync(valid)), badUtf8, coded('gzip')),
  creating('brotli', brotliCompressSync(valid), made(menu), coded('br')),
  creating(
    'brotli called gzip',
    brotliCompressSync(valid),
    refused({ body: 'could not be decompressed' }),
    coded('gzip'),
  ),
  creating('65,537 bytes, packed', gzipSync(padded(65_537)), tooLong, coded('gzip')),
  creating('a coding without a name', valid, made(menu), coded('')),
  creating(
    'a media type with a parameter nobody knows',
    valid,
    made(menu),
    typed('application/json; q=1; x="y"'),
  ),
  creating('the JSON of another vocabulary', valid, made(menu), typed('application/vnd.api+json')),
  creating('a media type for everything', valid, notJson, typed('*/*')),
  creating('a media type with a star', valid, notJson, typed('application/*')),
  creating('a media type with one slash too many', valid, notJson, typed('application/json/x')),
  creating('two media types in one header', valid, notJson, typed('application/json, text/plain')),
  creating(
    'JSON as a form of a page',
    `csrfToken=x&name=Menu`,
    notJson,
    typed('application/x-www-form-urlencoded'),
  ),
  { name: 'no media type', method: 'POST', path: '/qrcodes', body: valid, gets: notJson },
];
