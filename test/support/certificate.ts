import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';

export interface Certificate {
  certFile: string;
  keyFile: string;
  /** The certificate of the authority that nobody knows. */
  caFile: string;
  /** Signs it again, with an end in the past. */
  expire(): void;
}

/** A certificate of a self-made authority, in the folder. Undefined without openssl. */
export async function createCertificate(
  folder: string,
  host = 'localhost',
): Promise<Certificate | undefined> {
  const program = findProgram('openssl');
  if (!program) return undefined;
  const openssl = (command: string) => {
    const { status, stderr } = spawnSync(program, command.split(' '), { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${command}: ${stderr}`);
  };
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  await writeFile(join(folder, 'names'), `subjectAltName=${isIP(host) ? 'IP' : 'DNS'}:${host}\n`);
  openssl(`req -x509 ${newKey} -days 2 -subj /CN=Qrelay-Test-CA -keyout ca.key -out ca.pem`);
  openssl(`req ${newKey} -subj /CN=${host} -keyout server.key -out server.csr`);
  const sign = (days: number) =>
    openssl(
      `x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days ${days} -extfile names -out server.crt`,
    );
  sign(90);
  return {
    certFile: join(folder, 'server.crt'),
    keyFile: join(folder, 'server.key'),
    caFile: join(folder, 'ca.pem'),
    expire: () => sign(-1),
  };
}
