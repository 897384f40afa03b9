import { relative } from 'node:path';
import type { Config } from './config.ts';

type Started = Pick<Config, 'baseUrl' | 'host' | 'port' | 'dataDir' | 'databaseUrl'>;

/** What `npm start` prints when everything runs: the address that share links have, and what to do first. */
export function welcomeText({ baseUrl, host, port, dataDir, databaseUrl }: Started): string {
  const listening = `http://${localName(host)}:${port}`;
  const { origin, pathname } = new URL(baseUrl);
  const isDirect = origin === new URL(listening).origin;
  // The proxy may not be there yet.
  const here = isDirect ? baseUrl : `${listening}${pathname.replace(/\/+$/, '')}`;
  const folder = relative(process.cwd(), dataDir);
  const dataDirPrefix = databaseUrl || folder === '.data' ? '' : `DATA_DIR='${dataDir}' `;
  return `Qrelay is ready at ${baseUrl}
${isDirect ? '' : `It listens on ${listening}, which your proxy has to forward requests to.\n`}
Next: in another terminal, create an API key and a QR code:

  KEY=$(${dataDirPrefix}npm run -s qrelay -- key create --email you@example.com)
  curl -s ${here}/api/v1/qrcodes -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' -d '{"name":"My first code","content":"https://example.com/"}'

Open the shareUrl of the response, and the scan is counted. Press Ctrl-C to stop.`;
}

/** The name under which this machine reaches a server that listens on HOST. */
function localName(host: string | undefined): string {
  if (!host || ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
