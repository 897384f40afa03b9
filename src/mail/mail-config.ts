import { parseUrl } from '../http/parse-url.ts';

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
    report('MAIL_FROM must be an e-mail address, or a name and an address: Qrelay <no-reply@example.com>');
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
