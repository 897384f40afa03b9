import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createCertificate } from './certificate.ts';
import { eventually } from './eventually.ts';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';

/** The name in the configurations of deploy/proxies. */
export const proxiedHost = 'qr.example.com';

interface Setup {
  config: string;
  folder: string;
  ports: { http: number; https: number };
  certFile: string;
  keyFile: string;
}

interface ProxyKind {
  program: string;
  file: string;
  /** The documented configuration, with what is different on the machine of the test. */
  adapt(setup: Setup): string;
  args(configFile: string): string[];
}

/** How to run the configurations of deploy/proxies as they are, apart from ports and certificates. */
export const proxyKinds: Record<'nginx' | 'Caddy' | 'HAProxy', ProxyKind> = {
  nginx: {
    program: 'nginx',
    file: 'nginx.conf',
    adapt: ({ config, folder, ports, certFile, keyFile }) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
      const own = replaceAll(config, {
        'listen 80;': `listen 127.0.0.1:${ports.http};`,
        'listen 443 ssl': `listen 127.0.0.1:${ports.https} ssl`,
        '/etc/ssl/qr.example.com/fullchain.pem': certFile,
        '/etc/ssl/qr.example.com/privkey.pem': keyFile,
      });
      return `daemon off;\nerror_log stderr error;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${own}}\n`;
    },
    args: (configFile) => ['-c', configFile, '-e', 'stderr'],
  },
  Caddy: {
    program: 'caddy',
    file: 'Caddyfile',
    adapt: ({ config, ports, certFile, keyFile }) =>
      `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n}\n${replaceAll(
        config,
        {
          'qr.example.com {': `qr.example.com {\n\ttls ${certFile} ${keyFile}`,
        },
      )}`,
    args: (configFile) => ['run', '--adapter', 'caddyfile', '--config', configFile],
  },
  HAProxy: {
    program: 'haproxy',
    file: 'haproxy.cfg',
    adapt: ({ config, ports, folder }) =>
      replaceAll(config, {
        'bind :80': `bind 127.0.0.1:${ports.http}`,
        'bind :443': `bind 127.0.0.1:${ports.https}`,
        '/etc/ssl/qr.example.com/haproxy.pem': `${folder}/haproxy.pem`,
      }),
    args: (configFile) => ['-db', '-f', configFile],
  },
};

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ReverseProxy {
  ports: { http: number; https: number };
  /** Over a connection of the agent, to the proxy. */
  open(path: string, options?: RequestOptions, body?: string): Promise<IncomingMessage>;
  send(path: string, options?: RequestOptions, body?: string): Promise<Answer>;
  /** What it logged. */
  output(): string;
  stop(): Promise<void>;
}

/** One of the proxies before web processes on these ports, with further changes to its documented configuration. */
export async function startReverseProxy(
  name: keyof typeof proxyKinds,
  upstreams: [number, number],
  changes: Record<string, string> = {},
): Promise<ReverseProxy> {
  const kind = proxyKinds[name];
  const program = findProgram(kind.program);
  if (!program) throw new Error(`The tests of reverse proxies need ${kind.program}`);
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-proxy-'));
  await chmod(folder, 0o755);
  const certificate = await createCertificate(folder, proxiedHost);
  if (!certificate) throw new Error('The tests of reverse proxies need openssl');
  const { certFile, keyFile, caFile } = certificate;
  await writeFile(
    join(folder, 'haproxy.pem'),
    (await readFile(certFile, 'utf8')) + (await readFile(keyFile, 'utf8')),
  );
  const ports = { http: await freePort(), https: await freePort() };
  const documented = await readFile(new URL(`../../deploy/proxies/${kind.file}`, import.meta.url), 'utf8');
  const config = replaceAll(documented, {
    '127.0.0.1:3000': `127.0.0.1:${upstreams[0]}`,
    '127.0.0.1:3001': `127.0.0.1:${upstreams[1]}`,
    ...changes,
  });
  const configFile = join(folder, kind.file);
  await writeFile(configFile, kind.adapt({ config, folder, ports, certFile, keyFile }));
  const output: Buffer[] = [];
  const child = spawn(program, kind.args(configFile), {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk));

  const ca = await readFile(caFile, 'utf8');
  const agent = new Agent({ keepAlive: true, maxSockets: 64, ca, servername: proxiedHost });
  async function open(path: string, options: RequestOptions = {}, body = ''): Promise<IncomingMessage> {
    const req = httpsRequest({
      host: '127.0.0.1',
      port: ports.https,
      path,
      agent,
      ca,
      servername: proxiedHost,
      ...options,
      headers: { Host: proxiedHost, ...options.headers },
    });
    req.end(body);
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    return res;
  }
  async function send(path: string, options: RequestOptions = {}, body = ''): Promise<Answer> {
    const res = await open(path, options, body);
    return { status: res.statusCode ?? 0, headers: res.headers, body: await text(res) };
  }
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(Buffer.concat(output).toString());
    expectRunning(await send('/healthz'));
  }, 10_000);
  return {
    ports,
    open,
    send,
    output: () => Buffer.concat(output).toString(),
    async stop() {
      agent.destroy();
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function expectRunning({ status }: Answer): void {
  if (status >= 500) throw new Error(`The proxy responds with ${status}`);
}

/** Every one must be there: a configuration that changed is noticed. */
function replaceAll(config: string, changes: Record<string, string>): string {
  let changed = config;
  for (const [from, to] of Object.entries(changes)) {
    if (!changed.includes(from)) throw new Error(`The configuration has no "${from}"`);
    changed = changed.replaceAll(from, to);
  }
  return changed;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
