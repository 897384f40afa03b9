import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';

export interface Nginx {
  url: string;
  /** What it logged as an error, one line each. */
  errors(): Promise<string[]>;
  stop(): Promise<void>;
}

/** A real nginx with the configuration of deploy/proxies, without TLS, before two web processes on these ports. */
export async function startNginx(webPorts: number[]): Promise<Nginx> {
  const program = findProgram('nginx') ?? findProgram('../sbin/nginx');
  if (!program) throw new Error('nginx is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/pid;
error_log ${folder}/error.log error;
worker_processes 2;
events { worker_connections 1024; }
http {
access_log off;
${temporary.join('\n')}
${await documentedConfiguration(webPorts, port)}
}
`,
  );
  const server = spawn(program, ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const errors = async () =>
    (await readFile(join(folder, 'error.log'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  await eventually(() => fetch(url), 10_000);
  return {
    url,
    errors,
    async stop() {
      await end(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function documentedConfiguration([first, second]: number[], port: number): Promise<string> {
  const documented = await readFile(new URL('../../deploy/proxies/nginx.conf', import.meta.url), 'utf8');
  return documented
    .replace('listen 80;', `listen 127.0.0.1:${await freePort()};`)
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_certificate.*$/gm, '')
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${first}`)
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${second}`);
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGTERM');
  await gone;
}
