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

/** A real nginx with the configuration of docs/deployment.md, without TLS, before web processes on these ports. */
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

async function documentedConfiguration(webPorts: number[], port: number): Promise<string> {
  const guide = await readFile(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
  const documented = /^```nginx\n([^]*?)^```$/m.exec(guide)?.[1] ?? '';
  const servers = [...documented.matchAll(/^ *server \S+:3000([^;\n]*);$/gm)];
  const [first] = servers;
  if (!first || !documented.includes('listen 443 ssl;'))
    throw new Error('docs/deployment.md has no nginx configuration in the expected form');
  let text = documented.replace('listen 443 ssl;', `listen 127.0.0.1:${port};`);
  for (const [line] of servers.slice(1)) text = text.replace(`${line}\n`, '');
  return text.replace(first[0], webPorts.map((web) => `server 127.0.0.1:${web}${first[1]};`).join('\n'));
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGTERM');
  await gone;
}
