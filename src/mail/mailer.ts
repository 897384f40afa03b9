import { isIP } from 'node:net';
import { parseUrl } from '../http/parse-url.ts';
import { TimeoutError, withTimeout } from '../runtime/timeout.ts';

export interface Mail {
  /** The same when a mail is sent again, so that mail programs can show it once. */
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
}

export interface Mailer {
  /** Resolves when the mail server has accepted the mail. */
  send(mail: Mail): Promise<void>;
  /** Connects and signs in, without sending anything. */
  verify(): Promise<void>;
}

/** What nodemailer's errors say. */
interface Failure {
  code: string;
  /** The status in the reply of the SMTP server. */
  responseCode: number | undefined;
  /** The SMTP command that failed. */
  command: string | undefined;
  /** The system call that failed. */
  syscall?: string | undefined;
  message?: string | undefined;
}

/** The connection was never made, or the server refused before it had the mail. nodemailer tells timeouts apart by message. */
const neverConnected = /^(?:Connection timeout|Greeting never received)/;
const refusals = new Set(['EDNS', 'EAUTH', 'ENOAUTH', 'ETLS', 'EENVELOPE']);

/**
 * The mail server did not accept a mail. The message has only codes: servers repeat addresses in their replies, and
 * messages are logged and kept with failed jobs.
 */
export class MailError extends Error {
  override name = 'MailError';
  /** The server will not accept it later either, for example because the mailbox does not exist. */
  readonly isPermanent: boolean;
  /** The server has certainly not accepted it. Otherwise, it may have been lost or sent. */
  readonly isUnsent: boolean;
  /** For operators. */
  readonly remedy: string;

  constructor({ code, responseCode, command, syscall, message = '' }: Failure) {
    const [failure, remedy] = failures[code] ?? otherFailure;
    super(`${failure} (${[code, responseCode].filter(Boolean).join(' ')})`);
    this.remedy = remedy;
    this.isUnsent =
      responseCode !== undefined ||
      refusals.has(code) ||
      syscall === 'connect' ||
      neverConnected.test(message);
    this.isPermanent = command === 'RCPT TO' && responseCode !== undefined && responseCode >= 500;
  }
}

const checkAddress = 'Check host and port in SMTP_URL, and that a firewall allows the connection.';
const otherFailure = ['the mail server did not accept the email', 'See the log of the mail server.'] as const;
const failures: Record<string, readonly [failure: string, remedy: string]> = {
  EDNS: ['the host of the mail server was not found', checkAddress],
  ECONNECTION: ['the mail server cannot be reached', checkAddress],
  ESOCKET: ['the connection to the mail server failed', checkAddress],
  ETIMEDOUT: ['the mail server does not respond', checkAddress],
  ETLS: [
    'the mail server offers no valid TLS',
    'Use smtps:// if the port expects TLS, and name its certificate authority in NODE_EXTRA_CA_CERTS.',
  ],
  EAUTH: ['the mail server refused the password', 'Check user and password in SMTP_URL.'],
  ENOAUTH: ['the mail server wants a password', 'Add user and password to SMTP_URL.'],
  EENVELOPE: [
    'the mail server refused sender or recipient',
    'Check that it may send emails from the address in MAIL_FROM.',
  ],
};
const connectTimeoutMs = 10_000;
const silenceTimeoutMs = 20_000;
/** A server may take this long to say that it has the mail (RFC 5321, 4.5.3.2.6). Sent again earlier, it would come twice. */
const acknowledgementTimeoutMs = 10 * 60_000;
/** Limit for the whole exchange. */
const sendTimeoutMs = 12 * 60_000;

export function createMailer(
  { server, from }: MailConfig,
  print: (text: string) => void = (text) => void process.stdout.write(text),
): Mailer {
  if (server === 'terminal') {
    return {
      send: async ({ to, subject, text }) =>
        print(`\n--- Email to ${to} ---\nSubject: ${subject}\n\n${text}\n--- End of email ---\n\n`),
      verify: async () => undefined,
    };
  }
  const idHost = /@([^>]+)/.exec(from)?.[1] ?? 'localhost';
  return {
    async send({ id, to, subject, text, html, headers = {} }) {
      const transport = await connect(server, acknowledgementTimeoutMs);
      const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
      await withoutAddresses(() =>
        withTimeout(
          sendTimeoutMs,
          transport.sendMail({
            messageId: `<${id}@${idHost}>`,
            from,
            // As an object: a text would be parsed, and might become several addresses.
            to: { name: '', address: to },
            subject,
            text,
            html,
            headers: { ...automatic, ...headers },
            disableFileAccess: true,
            disableUrlAccess: true,
          }),
        ),
      );
    },
    async verify() {
      const transport = await connect(server, silenceTimeoutMs);
      await withoutAddresses(() => transport.verify());
    },
  };
}

/** A connection for each mail: there are few, and an idle connection would be cut by the server. */
async function connect({ host, port, isSecure, user, password }: SmtpServer, silenceMs: number) {
  // Loaded when it is used: most processes send no mail.
  const { createTransport } = await import('nodemailer');
  const isLocal = isLoopback(host);
  return createTransport({
    host,
    port,
    secure: isSecure,
    // A password is not sent in plain text over a network. On this machine, certificates are rarely valid.
    ...(user !== undefined && { auth: { user, pass: password ?? '' }, requireTLS: !isLocal }),
    ignoreTLS: isLocal && !isSecure,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceMs,
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

async function withoutAddresses(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { code = error instanceof TimeoutError ? 'ETIMEDOUT' : 'unknown error', ...rest } =
      error as Partial<Failure>;
    const { responseCode, command, syscall, message } = { ...rest, message: (error as Error).message };
    throw new MailError({ code, responseCode, command, syscall, message });
  }
}

/** Where mails are handed over. `terminal` prints them on standard output, for local use. */
export interface MailConfig {
  server: SmtpServer | 'terminal';
  /** An address, or a name and an address: `Qrelay <no-reply@example.com>`. */
  from: string;
}

export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte. Otherwise STARTTLS is used where the server offers it. */
  isSecure: boolean;
  user: string | undefined;
  password: string | undefined;
}

/** The value of SMTP_URL with which mails are printed. */
export const terminalUrl = 'terminal:';
const terminalFrom = 'Qrelay <qrelay@localhost>';
const maxFromLength = 300;
const fromPattern =
  /^(?:[^\s<>@",;:\\()[\]][^<>@",;:\\()[\]\r\n]* <[^\s@<>()",;:]+@[^\s@<>()",;:]+>|[^\s@<>()",;:]+@[^\s@<>()",;:]+)$/;

/** Undefined without SMTP_URL. Messages do not repeat its value, which may contain a password. */
export function readMailConfig(
  given: (name: string) => string | undefined,
  report: (error: string) => void,
): MailConfig | undefined {
  const address = given('SMTP_URL');
  const from = given('MAIL_FROM');
  const isFrom = from === undefined || (from.length <= maxFromLength && fromPattern.test(from));
  if (!isFrom)
    report('MAIL_FROM must be an email address, or a name and an address: Qrelay <no-reply@example.com>');
  if (address === undefined) return undefined;
  if (address === terminalUrl) return { server: 'terminal', from: (isFrom && from) || terminalFrom };
  const server = readServer(address);
  if (!server)
    report(
      'SMTP_URL must be a URL such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com, without path and query; in its password, write @ as %40, / as %2F, : as %3A, # as %23, ? as %3F and % as %25',
    );
  if (from === undefined) report('MAIL_FROM must be set, because SMTP_URL is');
  return server && isFrom && from !== undefined ? { server, from } : undefined;
}

function readServer(address: string): SmtpServer | undefined {
  const url = parseUrl(address);
  const isSecure = url?.protocol === 'smtps:';
  if (!url || !(isSecure || url.protocol === 'smtp:') || url.hostname === '') return undefined;
  if (/[?#]/.test(address) || url.pathname.replace('/', '') !== '') return undefined;
  try {
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || (isSecure ? 465 : 587),
      isSecure,
      user: decodeURIComponent(url.username) || undefined,
      password: decodeURIComponent(url.password) || undefined,
    };
  } catch {
    // A % that escapes nothing.
    return undefined;
  }
}
