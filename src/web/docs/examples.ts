import type { ExampleRequest } from '../api/reference.ts';

export interface Language {
  id: 'curl' | 'javascript' | 'python' | 'php';
  name: string;
  write(request: ExampleRequest): string;
}

/**
 * The languages of the examples. Each example works when pasted into a shell or a file, with the key in the environment
 * variable KEY, and what the address has in braces in a variable of that name: `{id}` in ID.
 */
export const languages: Language[] = [
  { id: 'curl', name: 'curl', write: writeCurl },
  { id: 'javascript', name: 'JavaScript', write: writeJavaScript },
  { id: 'python', name: 'Python', write: writePython },
  { id: 'php', name: 'PHP', write: writePhp },
];

function writeCurl({ method, url, hasKey, body, fileType, responseType }: ExampleRequest): string {
  const address = fillIn(
    url,
    (text) => text.replaceAll(/[\\"`$]/g, '\\$&'),
    (name) => `$${name}`,
  );
  // curl sends GET, and POST where there is a body.
  const isClear = method === 'GET' || (method === 'POST' && body !== undefined);
  const lines = [`curl ${isClear ? '' : `-X ${method} `}"${address}"`];
  if (hasKey) lines.push('-H "Authorization: Bearer $KEY"');
  if (body !== undefined) {
    // Inside single quotes the shell interprets nothing but the quote itself.
    const json = JSON.stringify(body).replaceAll("'", "'\\''");
    lines.push("-H 'Content-Type: application/json'", `-d '${json}'`);
  }
  if (fileType) lines.push(`-H 'Content-Type: ${fileType}'`, `--data-binary @${fileName(fileType)}`);
  if (isFile(responseType)) lines.push(`--output ${fileName(responseType)}`);
  return lines.join(' \\\n  ');
}

function writeJavaScript({ method, url, hasKey, body, fileType, responseType }: ExampleRequest): string {
  const address = /\{\w+\}/.test(url)
    ? `\`${fillIn(
        url,
        (text) => text.replaceAll(/[\\`$]/g, '\\$&'),
        (name) => `\${process.env.${name}}`,
      )}\``
    : javaScript.string(url);
  const contentType = contentTypeOf({ body, fileType });
  const used = [...(fileType ? ['readFile'] : []), ...(isFile(responseType) ? ['writeFile'] : [])];
  const headers = [
    ...(hasKey ? ['Authorization: `Bearer ${process.env.KEY}`'] : []),
    ...(contentType ? [`'Content-Type': '${contentType}'`] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: ${group('{ }', headers, 2)}`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${literal(body, javaScript, 1)})`]),
    ...(fileType ? [`body: await readFile('${fileName(fileType)}')`] : []),
  ];
  return inLines(
    used.length > 0 && `import { ${used.join(', ')} } from 'node:fs/promises';\n`,
    `const response = await fetch(${[address, ...(options.length > 0 ? [block('{', options, '}', 1)] : [])].join(', ')});`,
    ...(isFile(responseType)
      ? [
          'if (!response.ok) throw new Error(await response.text());',
          `await writeFile('${fileName(responseType)}', Buffer.from(await response.arrayBuffer()));`,
        ]
      : [`console.log(response.status${responseType ? ', await response.json()' : ''});`]),
  );
}

function writePython({ method, url, hasKey, body, fileType, responseType }: ExampleRequest): string {
  const isFilledIn = /\{\w+\}/.test(url);
  const address = isFilledIn
    ? `f${fillIn(
        JSON.stringify(url),
        (text) => text.replaceAll(/[{}]/g, '$&$&'),
        (name) => `{os.environ['${name}']}`,
      )}`
    : JSON.stringify(url);
  const contentType = contentTypeOf({ body, fileType });
  const headers = [
    ...(hasKey ? [`"Authorization": f"Bearer {os.environ['KEY']}"`] : []),
    ...(contentType ? [`"Content-Type": "${contentType}"`] : []),
  ];
  const options = [
    address,
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(headers.length > 0 ? [`headers=${group('{}', headers, 2, 4)}`] : []),
    ...(body === undefined ? [] : [`data=json.dumps(${literal(body, python, 1)}).encode()`]),
    ...(fileType ? [`data=open("${fileName(fileType)}", "rb").read()`] : []),
  ];
  const usesJson = body !== undefined || responseType === 'application/json';
  return inLines(
    usesJson && 'import json',
    (hasKey || isFilledIn) && 'import os',
    'import urllib.request\n',
    `request = urllib.request.Request${block('(', options, ')', 1, 4)}`,
    'with urllib.request.urlopen(request) as response:',
    isFile(responseType)
      ? `    open("${fileName(responseType)}", "wb").write(response.read())`
      : `    print(response.status${responseType ? ', json.load(response)' : ''})`,
  );
}

function writePhp({ method, url, hasKey, body, fileType, responseType }: ExampleRequest): string {
  const address = fillIn(
    php.string(url),
    (text) => text,
    (name) => `' . getenv('${name}') . '`,
  ).replace(/ \. ''$/, '');
  const contentType = contentTypeOf({ body, fileType });
  const headers = [
    ...(hasKey ? ["'Authorization: Bearer ' . getenv('KEY')"] : []),
    ...(contentType ? [`'Content-Type: ${contentType}'`] : []),
  ];
  const options = [
    'CURLOPT_RETURNTRANSFER => true',
    ...(method === 'GET' ? [] : [`CURLOPT_CUSTOMREQUEST => '${method}'`]),
    ...(headers.length > 0 ? [`CURLOPT_HTTPHEADER => ${group('[]', headers, 2, 4)}`] : []),
    ...(body === undefined ? [] : [`CURLOPT_POSTFIELDS => json_encode(${literal(body, php, 1)})`]),
    ...(fileType ? [`CURLOPT_POSTFIELDS => file_get_contents('${fileName(fileType)}')`] : []),
  ];
  return inLines(
    '<?php',
    `$request = curl_init(${address});`,
    `curl_setopt_array($request, ${block('[', options, ']', 1, 4)});`,
    '$response = curl_exec($request);',
    ...(isFile(responseType)
      ? [
          'if (curl_getinfo($request, CURLINFO_RESPONSE_CODE) !== 200) exit($response);',
          `file_put_contents('${fileName(responseType)}', $response);`,
        ]
      : [`echo curl_getinfo($request, CURLINFO_RESPONSE_CODE)${responseType ? ", ' ', $response" : ''};`]),
  );
}

/** How a language writes JSON values. */
interface Syntax {
  indent: number;
  string(text: string): string;
  key(name: string): string;
  words: Record<'null' | 'true' | 'false', string>;
  map: { open: string; close: string; pair: string; empty: string };
}

const javaScript: Syntax = {
  indent: 2,
  // As JSON, in which a backslash before a quote is never anything but its escape.
  string: (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? name : javaScript.string(name)),
  words: { null: 'null', true: 'true', false: 'false' },
  map: { open: '{', close: '}', pair: ': ', empty: '{}' },
};

const python: Syntax = {
  indent: 4,
  string: (text) => JSON.stringify(text),
  key: (name) => JSON.stringify(name),
  words: { null: 'None', true: 'True', false: 'False' },
  map: { open: '{', close: '}', pair: ': ', empty: '{}' },
};

const php: Syntax = {
  indent: 4,
  string: (text) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`,
  key: (name) => php.string(name),
  words: { null: 'null', true: 'true', false: 'false' },
  map: { open: '[', close: ']', pair: ' => ', empty: 'new stdClass()' },
};

const longestLine = 64;

/** A JSON value as source code. Short lists and objects inside of others are one line. */
function literal(value: unknown, syntax: Syntax, depth = 0, isInner = false): string {
  if (value === null || typeof value === 'boolean')
    return syntax.words[String(value) as keyof Syntax['words']];
  if (typeof value === 'string') return syntax.string(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const { map, indent } = syntax;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(
    ([key, part]) =>
      `${isList ? '' : `${syntax.key(key)}${map.pair}`}${literal(part, syntax, depth + 1, true)}`,
  );
  if (parts.length === 0) return isList ? '[]' : map.empty;
  const [open, close] = isList ? ['[', ']'] : [map.open, map.close];
  const space = open === '{' && indent === 2 ? ' ' : '';
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (isInner && line.length <= longestLine && !line.includes('\n')) return line;
  return block(open, parts, close, depth + 1, indent);
}

/** One part a line. */
function block(open: string, parts: string[], close: string, depth: number, indent = 2): string {
  const inner = ' '.repeat(depth * indent);
  const outer = ' '.repeat((depth - 1) * indent);
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${outer}${close}`;
}

/** A single part stays in its line. `brackets` may have a space between them. */
function group(brackets: string, parts: string[], depth: number, indent = 2): string {
  const [open, close] = [brackets.slice(0, 1), brackets.slice(-1)];
  const space = brackets.slice(1, -1);
  return parts.length === 1
    ? `${open}${space}${parts[0]}${space}${close}`
    : block(open, parts, close, depth, indent);
}

function inLines(...given: (string | false)[]): string {
  return given.filter((line) => line !== false).join('\n');
}

/** Escapes the text and replaces each `{name}` by the variable NAME. */
function fillIn(url: string, escape: (text: string) => string, variable: (name: string) => string): string {
  return url
    .split(/(\{\w+\})/)
    .map((part, index) => (index % 2 === 1 ? variable(part.slice(1, -1).toUpperCase()) : escape(part)))
    .join('');
}

function contentTypeOf({ body, fileType }: Pick<ExampleRequest, 'body' | 'fileType'>): string | undefined {
  return body === undefined ? fileType : 'application/json';
}

function isFile(responseType: string | undefined): responseType is string {
  return responseType !== undefined && responseType !== 'application/json';
}

/** Of a media type: `file.pdf`. */
function fileName(type: string): string {
  return `file.${type.split('/')[1]?.split('+')[0]}`;
}
