import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/config.ts';
import { redisAddress, redisServerName } from '../../src/store/redis-address.ts';

const errorsOf = (env: Record<string, string>) => readConfig(env).errors;
const single = {
  kind: 'single',
  tls: false,
  username: undefined,
  password: undefined,
  database: 0,
  family: undefined,
  primary: { name: '', sentinelUsername: undefined, sentinelPassword: undefined },
};

describe('REDIS_URL', () => {
  it('names one server, with user, password and database', () => {
    expect(redisAddress('redis://cache.test')).to.deep.equal({
      ...single,
      hosts: [{ host: 'cache.test', port: 6379 }],
    });
    expect(redisAddress('rediss://qr:p%40ss%2Fword@[::1]:6380/2?family=6')).to.deep.equal({
      ...single,
      tls: true,
      hosts: [{ host: '::1', port: 6380 }],
      username: 'qr',
      password: 'p@ss/word',
      database: 2,
      family: 6,
    });
    expect(redisAddress('REDIS://:secret@cache.test/')).to.include({
      username: undefined,
      password: 'secret',
    });
  });

  it('names sentinels, the primary that they watch, and its database', () => {
    const url = 'redis+sentinel://qr:secret@a.test,b.test:26380,[fe80::1]/mymaster/3';
    expect(redisAddress(`${url}?sentinel_username=watch&sentinel_password=w%26rd`)).to.deep.equal({
      ...single,
      kind: 'sentinel',
      hosts: [
        { host: 'a.test', port: 26_379 },
        { host: 'b.test', port: 26_380 },
        { host: 'fe80::1', port: 26_379 },
      ],
      username: 'qr',
      password: 'secret',
      database: 3,
      primary: { name: 'mymaster', sentinelUsername: 'watch', sentinelPassword: 'w&rd' },
    });
    expect(redisAddress('rediss-sentinel://a.test/mymaster')).to.include({ kind: 'sentinel', tls: true });
  });

  it('names nodes of a cluster', () => {
    expect(redisAddress('redis+cluster://:secret@a.test:7000,b.test:7001')).to.deep.equal({
      ...single,
      kind: 'cluster',
      hosts: [
        { host: 'a.test', port: 7000 },
        { host: 'b.test', port: 7001 },
      ],
      password: 'secret',
    });
    expect(redisAddress('rediss-cluster://a.test/0')).to.include({ kind: 'cluster', tls: true });
  });

  it('is shown without user and password', () => {
    expect(redisServerName('rediss://qr:secret@cache.test')).to.equal('cache.test:6379');
    expect(redisServerName('redis://:secret@[::1]:6380/2')).to.equal('[::1]:6380/2');
    expect(redisServerName('redis+sentinel://qr:secret@a.test,b.test/mymaster?sentinel_password=x')).to.equal(
      'sentinel a.test:26379,b.test:26379/mymaster',
    );
  });

  it('has every invalid part named with a remedy, and nothing of it repeated', () => {
    const refused: Record<string, string> = {
      'hunter2.test:6379': 'REDIS_URL must be a URL that starts with redis://',
      'redis+proxy://hunter2.test': 'REDIS_URL must be a URL that starts with redis://',
      'redis://': 'REDIS_URL has no valid name for the host: write host:port',
      'redis://hunter2.test:0': 'REDIS_URL has no valid port for the host: write a number from 1 to 65535',
      'redis://hunter2.test:': 'REDIS_URL has no valid port for the host',
      'redis+cluster://a.test:1,hunter2.test:65536': 'REDIS_URL has no valid port for host 2',
      'redis+cluster://a.test,,b.test': 'REDIS_URL has no valid name for host 2',
      'redis+cluster://a.test,hunt er2': 'REDIS_URL has no valid name for host 2',
      'redis://hunter2@cache.test': 'REDIS_URL has a user without a password',
      'redis://:hunter2@a.test,b.test': 'REDIS_URL must name a single server, or start with another scheme',
      'redis://:hun@ter2@cache.test': 'REDIS_URL is not a valid URL: in its password, write @ as %40',
      'redis://:hun/ter2@cache.test': 'REDIS_URL is not a valid URL: in its password, write @ as %40',
      'redis://:hun%zzter2@cache.test': 'REDIS_URL is not a valid URL: in its password, write @ as %40',
      'redis://cache.test/hunter2': 'REDIS_URL has no valid database',
      'redis://cache.test/0/hunter2': 'REDIS_URL has no valid database',
      'redis://cache.test?family=hunter2': 'REDIS_URL has an invalid family: write family=4',
      'redis://cache.test?db=hunter2': 'REDIS_URL has the parameter db, which is not known: remove it',
      'redis://cache.test?sentinel_password=hunter2': 'REDIS_URL has the parameter sentinel_password',
      'redis+sentinel://a.test,b.test': 'REDIS_URL needs the name of the primary that the sentinels watch',
      'redis+sentinel://a.test/mymaster/hunter2': 'REDIS_URL has no valid database',
      'redis+cluster://a.test/7': 'REDIS_URL names a database, but a Redis Cluster has only database 0',
    };
    for (const [url, message] of Object.entries(refused)) {
      const [error, ...others] = errorsOf({ REDIS_URL: url });
      expect(error, url).to.include(message);
      expect(others, url).to.deep.equal([]);
      for (const part of ['hun', 'ter2', 'cache.test', 'a.test']) expect(error).to.not.include(part);
    }
  });
});

describe('REDIS_CA_FILE and SCAN_QUEUES', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-ca-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('refuses a file that cannot be read or has no certificate, and one without TLS', async () => {
    const file = join(folder, 'ca.pem');
    const settings = { REDIS_URL: 'rediss://cache.test', REDIS_CA_FILE: file };
    expect(errorsOf(settings)).to.deep.equal([
      `REDIS_CA_FILE is ${file}, which cannot be read (ENOENT): use the path of a file that this user can read`,
    ]);
    await writeFile(file, 'no certificate');
    expect(errorsOf(settings).join()).to.include('which has no certificate: use a PEM file');
    await writeFile(file, certificate);
    expect(readConfig(settings)).to.deep.include({ errors: [] });
    expect(readConfig(settings).config.redisCaFile).to.equal(file);
    expect(errorsOf({ ...settings, REDIS_URL: 'redis://cache.test' }).join()).to.include(
      'REDIS_URL does not use TLS: start REDIS_URL with rediss',
    );
  });

  it('needs Redis for more than one queue', () => {
    expect(readConfig({ SCAN_QUEUES: '6', REDIS_URL: 'redis+cluster://a.test' }).config.scanQueues).to.equal(
      6,
    );
    expect(errorsOf({ SCAN_QUEUES: '2' })).to.deep.equal([
      'SCAN_QUEUES must be 1 while the queue is in PostgreSQL: set REDIS_URL, or remove SCAN_QUEUES',
    ]);
    expect(errorsOf({ SCAN_QUEUES: '65', REDIS_URL: 'redis://a.test' })).to.have.lengthOf(1);
  });
});

/** Self-signed; checked for its form only. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBgzCCASmgAwIBAgIUccnewscqZV48z2obaiakImpw8E8wCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLUXJlbGF5LVRlc3QwIBcNMjYxMTE1MjIyNzI1WhgPMjEyNjEw
MjIyMjI3MjVaMBYxFDASBgNVBAMMC1FyZWxheS1UZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEOJBuCRgx8Vd5kd7IxEDo7waGmqX6yEp5Vh0LCeQEBS7e3WmI
n8g/3YasZ9d95mHfLAImxPVtjible9NLKG13C6NTMFEwHQYDVR0OBBYEFL5BEeDs
zoZ23T2wURbk+1HHuFS4MB8GA1UdIwQYMBaAFL5BEeDszoZ23T2wURbk+1HHuFS4
MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAOvA8KEd0Pafsas1
yFkE+JGbjVGabAka5oBCb+l8TWiBAiBcT1yZFfDijVDhszfAnD5BabfjC3lUkKab
+Oui72MV+A==
-----END CERTIFICATE-----
`;
