import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { MailConfig, SmtpServer } from '../../src/mail/mailer.ts';
import { eventually } from './eventually.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** By lower-case name. */
  headers: Record<string, string>;
  text: string;
  html: string;
}

export interface MailServer {
  server: SmtpServer;
  config: MailConfig;
  url: string;
  received: ReceivedMail[];
  /** The mails to an address, when there are as many. */
  mailsTo(address: string, count?: number): Promise<ReceivedMail[]>;
  stop(): Promise<void>;
}

interface MailServerOptions extends SMTPServerOptions {
  /** False: the server has the mail, and closes the connection instead of saying so. */
  onTaken?: (mail: ReceivedMail) => boolean;
}

/** A real SMTP server on a free port, which keeps what it accepts. */
export async function startMailServer({
  onTaken = () => true,
  ...options
}: MailServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const smtp = new SMTPServer({
    authOptional: true,
    logger: false,
    onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = rcptTo.map(({ address }) => address);
        const from = mailFrom ? mailFrom.address : '';
        const mail = { from, to, ...parse(Buffer.concat(chunks).toString()) };
        received.push(mail);
        if (onTaken(mail)) done();
        else for (const connection of smtp.connections) connection.close();
      });
    },
    ...options,
  });
  smtp.on('error', () => undefined); // of a connection that a test breaks
  const listening = smtp.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const server = { host: '127.0.0.1', port, isSecure: false, user: undefined, password: undefined };
  return {
    server,
    config: { server, from: 'Qrelay <no-reply@qr.test>' },
    url: `smtp://127.0.0.1:${port}`,
    received,
    mailsTo: (address, count = 1) =>
      eventually(() => {
        const found = received.filter(({ to }) => to.includes(address));
        if (found.length < count) throw new Error(`${found.length} of ${count} mails to ${address}`);
        return found;
      }),
    stop: () => new Promise((resolve) => smtp.close(() => resolve())),
  };
}

/** The address of the link that the plain text has on a line of its own. */
export function linkIn({ text: plain }: ReceivedMail): string {
  const link = /^https?:\S+$/m.exec(plain)?.[0];
  if (!link) throw new Error(`There is no link in:\n${plain}`);
  return link;
}

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r\n/, '')));
  const partOf = (type: string) => {
    const part = parts.find((one) => one.headers['content-type']?.startsWith(type));
    return part ? decode(part.body, part.headers['content-transfer-encoding'] ?? '') : '';
  };
  return { headers, text: partOf('text/plain'), html: partOf('text/html') };
}

function split(raw: string): { headers: Record<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
  });
  return { headers: Object.fromEntries(headers) as Record<string, string>, body: raw.slice(end + 4) };
}

function decode(body: string, encoding: string): string {
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : encoding === 'quoted-printable'
        ? unquote(body.replace(/=\r\n/g, ''))
        : Buffer.from(body);
  return bytes.toString('utf8').replace(/\r\n/g, '\n');
}

function unquote(body: string): Buffer {
  return Buffer.from(
    body.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
    'latin1',
  );
}

/** Encoded words (RFC 2047). */
function decodeWords(value: string): string {
  return value
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : unquote(word.replace(/_/g, ' ')).toString('utf8'),
    );
}
