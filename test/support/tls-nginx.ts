import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';

interface TlsNginx<Name extends string> {
  /** By the name of its directives: `https://localhost:<port>`. */
  urls: Record<Name, string>;
  /** The certificate of the authority that nobody knows. */
  caFile: string;
  stop(): Promise<void>;
}

/** A real nginx that terminates TLS for localhost, with a server for each set of directives. Undefined without nginx or openssl. */
export async function startTlsNginx<Name extends string>(
  directives: Record<Name, string>,
): Promise<TlsNginx<Name> | undefined> {
  const [nginx, openssl] = [findProgram('nginx'), findProgram('openssl')];
  if (!nginx || !openssl) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-nginx-'));
  const made = spawnSync(
    openssl,
    'req -x509 -newkey rsa:2048 -nodes -days 90 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem'.split(
      ' ',
    ),
    { cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(made.stderr);
  const entries = await Promise.all(
    Object.entries<string>(directives).map(async ([name, text]) => ({ name, text, port: await freePort() })),
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n');
  const servers = entries.map(
    ({ text, port }) => `server {
  listen 127.0.0.1:${port} ssl;
  ssl_certificate ${join(folder, 'cert.pem')};
  ssl_certificate_key ${join(folder, 'key.pem')};
  location / { ${text} }
}`,
  );
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log ${join(folder, 'log')};
events {}
http { access_log off; ${temporary}
${servers.join('\n')} }`,
  );
  const server = spawn(nginx, ['-p', folder, '-c', file], { stdio: 'ignore' });
  await eventually(() => Promise.all(entries.map(({ port }) => accepts(port))));
  return {
    urls: Object.fromEntries(entries.map(({ name, port }) => [name, `https://localhost:${port}`])) as Record<
      Name,
      string
    >,
    caFile: join(folder, 'cert.pem'),
    async stop() {
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function accepts(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
