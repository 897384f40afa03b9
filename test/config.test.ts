import { isAbsolute, resolve } from 'node:path';
import { expect } from 'chai';
import { type Config, loadConfig, requireDatabaseUrl } from '../src/config.ts';
import { SetupError } from '../src/errors.ts';
import { defaultLimits } from '../src/limits.ts';

function errorsOf(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    expect(error).to.be.instanceOf(SetupError);
    return (error as Error).message;
  }
  return expect.fail(`${JSON.stringify(env)} was accepted`);
}

const numbers: {
  name: string;
  field: keyof Config;
  least: number;
  most: number;
  fallback: number | undefined;
}[] = [
  { name: 'PORT', field: 'port', least: 1, most: 65_535, fallback: 3_000 },
  { name: 'QR_CODE_LIFETIME_DAYS', field: 'qrCodeLifetimeDays', least: 1, most: 36_500, fallback: 365 },
  { name: 'TRUST_PROXY_HOPS', field: 'trustProxyHops', least: 0, most: 16, fallback: 0 },
  { name: 'WEB_CONCURRENCY', field: 'webConcurrency', least: 1, most: 64, fallback: 1 },
  { name: 'KEEP_ALIVE_SECONDS', field: 'keepAliveSeconds', least: 1, most: 3_600, fallback: 75 },
  { name: 'MAX_CONNECTIONS', field: 'maxConnections', least: 100, most: 1_000_000, fallback: 8_000 },
  { name: 'HANG_LIMIT_SECONDS', field: 'hangLimitSeconds', least: 5, most: 3_600, fallback: 30 },
  { name: 'WEB_POOL_SIZE', field: 'webPoolSize', least: 2, most: 500, fallback: 10 },
  { name: 'REPLICA_POOL_SIZE', field: 'replicaPoolSize', least: 2, most: 500, fallback: 10 },
  { name: 'WORKER_POOL_SIZE', field: 'workerPoolSize', least: 2, most: 500, fallback: 6 },
  { name: 'SPOOL_MAX_MB', field: 'spoolMaxMb', least: 1, most: 1_000_000, fallback: 256 },
  { name: 'METRICS_PORT', field: 'metricsPort', least: 1, most: 65_535, fallback: undefined },
  { name: 'WORKER_METRICS_PORT', field: 'workerMetricsPort', least: 1, most: 65_535, fallback: undefined },
];

describe('the environment (decisions: Where things run)', () => {
  it('may be empty: every setting has a default, DATA_DIR .data (decisions: Where things run)', () => {
    expect(loadConfig({})).to.include({
      port: 3_000,
      host: undefined,
      baseUrl: 'http://localhost:3000',
      dataDir: resolve('.data'),
      databaseUrl: undefined,
      redisUrl: undefined,
      qrCodeLifetimeDays: 365,
      trustProxyHops: 0,
      logLevel: 'info',
      webConcurrency: 1,
      isDevelopment: false,
    });
  });

  it('counts an empty or blank string as not set, for every variable (decisions: Where things run)', () => {
    const names = [
      'PORT',
      'HOST',
      'BASE_URL',
      'DATA_DIR',
      'DATABASE_URL',
      'REDIS_URL',
      'QR_CODE_LIFETIME_DAYS',
    ];
    names.push('DATABASE_REPLICA_URL', 'WEB_POOL_SIZE', 'REPLICA_POOL_SIZE', 'WORKER_POOL_SIZE');
    names.push('TRUST_PROXY_HOPS', 'LOG_LEVEL', 'WEB_CONCURRENCY', 'SPOOL_MAX_MB');
    names.push('QRELAY_COMMIT', 'QRELAY_SECRET', 'ABUSE_CONTACT', 'SIGNUPS', 'REDIS_CA_FILE');
    names.push('SMTP_URL', 'MAIL_FROM', 'SUPPORT_CONTACT', 'FREE_LIMITS', 'PRO_LIMITS');
    names.push('SCAN_QUEUES', 'SCAN_JOURNAL', 'GEO_DATABASE', 'WEBHOOK_NETWORKS', 'WEBHOOK_TIMEOUT_SECONDS');
    names.push(
      'BRAND_NAME',
      'BRAND_LOGO',
      'BRAND_ICON',
      'BRAND_COLOR',
      'MAIL_FOOTER',
      'LANDING_PAGE',
      'DEMO',
    );
    names.push(
      'OIDC_ISSUER',
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'OIDC_NAME',
      'OIDC_DOMAINS',
      'OIDC_ONLY',
    );
    names.push('PRIVACY_URL', 'IMPRINT_URL', 'TERMS_URL', 'CONTACT_URL', 'SOURCE_URL');
    for (const blank of ['', '  ', '\t\n']) {
      const env = Object.fromEntries(names.map((name) => [name, blank]));
      expect(loadConfig(env)).to.deep.equal(loadConfig({}));
    }
  });

  it('changes the limits of each plan by FREE_LIMITS and PRO_LIMITS, and names every error', () => {
    const { limits } = loadConfig({ FREE_LIMITS: 'codes=50, requestsPerHour=60', PRO_LIMITS: 'fileMb=2048' });
    expect(limits.free).to.deep.equal({ ...defaultLimits.free, codes: 50, requestsPerHour: 60 });
    expect(limits.pro).to.deep.equal({ ...defaultLimits.pro, fileMb: 2_048 });
    const message = errorsOf({ FREE_LIMITS: 'code=5,keys=many', PRO_LIMITS: 'codes=1,codes=2' });
    expect(message)
      .to.contain('FREE_LIMITS must have the form codes=5000,webhooks=10')
      .and.to.contain('"code" is none of them')
      .and.to.contain('FREE_LIMITS has a wrong keys: it must be a whole number from 0 to 1000, not "many"')
      .and.to.contain('PRO_LIMITS has codes twice');
  });

  it('has a demo where strangers find a landing page and can sign up, unless DEMO says otherwise', () => {
    const read = (env: Record<string, string>) => {
      const { hasLandingPage, hasDemo } = loadConfig(env);
      return [hasLandingPage, hasDemo];
    };
    expect(read({})).to.deep.equal([true, true]);
    expect(read({ LANDING_PAGE: 'off' })).to.deep.equal([false, false]);
    expect(read({ LANDING_PAGE: 'off', DEMO: 'on' })).to.deep.equal([false, true]);
    expect(read({ DEMO: 'off' })).to.deep.equal([true, false]);
    expect(read({ SIGNUPS: 'closed' })).to.deep.equal([true, false]);
    expect(read({ SIGNUPS: 'closed', DEMO: 'on' })).to.deep.equal([true, true]);
    expect(errorsOf({ LANDING_PAGE: 'no' })).to.contain('LANDING_PAGE must be one of on, off, not "no"');
  });

  it('reads where mails go from SMTP_URL and MAIL_FROM, and repeats no password', () => {
    const from = 'Qrelay <no-reply@example.com>';
    const mail = (url: string) => loadConfig({ SMTP_URL: url, MAIL_FROM: from }).mail;
    const server = {
      host: 'mail.example.com',
      port: 587,
      isSecure: false,
      user: undefined,
      password: undefined,
    };
    expect(loadConfig({ MAIL_FROM: from }).mail).to.equal(undefined);
    expect(mail('smtp://mail.example.com')).to.deep.equal({ server, from });
    expect(mail('smtps://mail.example.com/')?.server).to.deep.equal({ ...server, port: 465, isSecure: true });
    expect(mail('smtp://a%40b:s%2Fw%3Ard@[::1]:2525')?.server).to.deep.equal({
      ...server,
      host: '::1',
      port: 2_525,
      user: 'a@b',
      password: 's/w:rd',
    });
    expect(loadConfig({ SMTP_URL: 'terminal:' }).mail?.server).to.equal('terminal');
    const bad = ['mail.example.com', 'http://mail.example.com', 'smtp://', 'smtp://h/x', 'smtp://h?tls=no'];
    for (const url of [...bad, 'smtp://u:s3cret/word@h', 'smtp://u:s3cret%@h']) {
      const message = errorsOf({ SMTP_URL: url, MAIL_FROM: from });
      expect(message, url).to.contain('SMTP_URL must be a URL such as').and.not.to.contain('s3cret');
    }
    expect(errorsOf({ SMTP_URL: 'smtp://h' })).to.contain('MAIL_FROM must be set, because SMTP_URL is');
    for (const wrong of ['Qrelay', 'a@b, c@d', 'Qrelay <a@b> x', 'Q\r\nBcc: x <a@b>', `${'a'.repeat(300)}@b`])
      expect(errorsOf({ MAIL_FROM: wrong }), wrong).to.contain('MAIL_FROM must be an email address');
  });

  it('accepts what can be the name of a commit as QRELAY_COMMIT', () => {
    for (const good of ['1a2b3c4', 'a'.repeat(64), 'v0.2.0-3-g1a2b3c4'])
      expect(loadConfig({ QRELAY_COMMIT: good }).commit).to.equal(good);
    for (const bad of ['a b', 'a"b', 'a'.repeat(65)])
      expect(errorsOf({ QRELAY_COMMIT: bad }), bad).to.contain('QRELAY_COMMIT must be a commit');
  });

  it('accepts an e-mail address or an http(s) URL as ABUSE_CONTACT, and nothing else', () => {
    expect(loadConfig({}).abuseContact).to.equal(undefined);
    for (const good of ['abuse@example.com', 'https://example.com/abuse?from=qr', 'http://example.com/']) {
      expect(loadConfig({ ABUSE_CONTACT: good }).abuseContact).to.equal(good);
    }
    for (const bad of [
      'abuse',
      '@example.com',
      'a b@example.com',
      'mailto:a@example.com',
      'javascript:alert(1)',
    ]) {
      expect(errorsOf({ ABUSE_CONTACT: bad }), bad).to.contain('ABUSE_CONTACT must be an email address');
    }
  });

  it('takes http(s) URLs for the links in the footer, and a mailto: URL for the contact', () => {
    const unset = { privacy: undefined, imprint: undefined, terms: undefined, contact: undefined };
    expect(loadConfig({}).footerLinks).to.deep.equal({ ...unset, source: undefined });
    for (const name of ['PRIVACY', 'IMPRINT', 'TERMS', 'CONTACT', 'SOURCE'] as const) {
      const variable = `${name}_URL`;
      const key = name.toLowerCase() as keyof typeof unset;
      for (const good of ['https://example.com/legal?lang=en#top', 'http://example.com/'])
        expect(loadConfig({ [variable]: good }).footerLinks[key]).to.equal(good);
      for (const bad of [
        '/privacy',
        'example.com',
        'javascript:alert(1)',
        'https://',
        'mailto:',
        'mailto:a b',
      ])
        expect(errorsOf({ [variable]: bad }), bad).to.contain(`${variable} must be a`);
    }
    const mail = 'mailto:hello@example.com';
    expect(loadConfig({ CONTACT_URL: mail }).footerLinks.contact).to.equal(mail);
    expect(errorsOf({ PRIVACY_URL: mail })).to.contain('PRIVACY_URL must be a URL that starts with http://');
  });

  it('has no journal unless SCAN_JOURNAL is set, and rejects it without Redis', () => {
    expect(loadConfig({}).scanJournal).to.equal('off');
    for (const choice of ['off', 'on', 'fsync'])
      expect(loadConfig({ SCAN_JOURNAL: choice, REDIS_URL: 'redis://a.test' }).scanJournal).to.equal(choice);
    expect(errorsOf({ SCAN_JOURNAL: 'yes' })).to.contain('SCAN_JOURNAL must be one of off, on, fsync');
    expect(errorsOf({ SCAN_JOURNAL: 'on' })).to.contain(
      'SCAN_JOURNAL must be off while the queue is in PostgreSQL',
    );
  });

  it('takes up to three secrets of 32 characters or more as QRELAY_SECRET, and repeats none in an error', () => {
    const secrets = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(32));
    const [a = '', b = ''] = secrets;
    expect(loadConfig({}).rootSecrets).to.deep.equal([]);
    for (const good of [[a], [a, b], ['database', a], [a, 'database'], secrets.slice(0, 3)])
      expect(loadConfig({ QRELAY_SECRET: good.join(',') }).rootSecrets).to.deep.equal(good);
    for (const bad of [
      'hunter2',
      a.slice(1),
      `${a},`,
      `${a}, ${b}`,
      `${a},${a}`,
      secrets.join(','),
      `${a} x`,
    ]) {
      const message = errorsOf({ QRELAY_SECRET: bad });
      expect(message).to.match(/^ {2}- QRELAY_SECRET must /m);
      for (const part of bad.split(',').filter((text) => text.length > 1))
        expect(message).to.not.contain(part);
    }
  });

  it('accepts networks in CIDR notation as WEBHOOK_NETWORKS, and up to 30 s as WEBHOOK_TIMEOUT_SECONDS', () => {
    expect(loadConfig({}).webhooks).to.deep.equal({ networks: [], timeoutSeconds: 10 });
    const env = { WEBHOOK_NETWORKS: '10.0.0.0/8, fd00::/8', WEBHOOK_TIMEOUT_SECONDS: '30' };
    expect(loadConfig(env).webhooks).to.deep.equal({
      networks: ['10.0.0.0/8', 'fd00::/8'],
      timeoutSeconds: 30,
    });
    for (const bad of ['10.0.0.1', '10.0.0.0/33', 'private', '10.0.0.0/8;fd00::/8'])
      expect(errorsOf({ WEBHOOK_NETWORKS: bad }), bad).to.contain('WEBHOOK_NETWORKS must be networks');
    expect(errorsOf({ WEBHOOK_TIMEOUT_SECONDS: '31' })).to.contain('WEBHOOK_TIMEOUT_SECONDS must be');
  });

  it('has sign-ups open unless SIGNUPS is closed', () => {
    expect(loadConfig({}).signUps).to.equal('open');
    for (const choice of ['open', 'closed']) {
      expect(loadConfig({ SIGNUPS: choice }).signUps).to.equal(choice);
    }
    expect(errorsOf({ SIGNUPS: 'off' })).to.contain('SIGNUPS must be one of open, closed, not "off"');
  });

  it('reads the OpenID provider from OIDC_ variables, and names every error without the secret', () => {
    const env = {
      OIDC_ISSUER: 'https://id.example.com/realms/staff',
      OIDC_CLIENT_ID: 'qrelay',
      OIDC_CLIENT_SECRET: 'hidden',
    };
    expect(loadConfig({}).openId).to.equal(undefined);
    expect(loadConfig(env).openId).to.deep.equal({
      issuer: env.OIDC_ISSUER,
      clientId: 'qrelay',
      clientSecret: 'hidden',
      name: 'id.example.com',
      domains: [],
      isOnly: false,
    });
    const more = { OIDC_NAME: 'Staff', OIDC_DOMAINS: 'Example.com, example.org,', OIDC_ONLY: 'on' };
    expect(loadConfig({ ...env, ...more }).openId).to.include({ name: 'Staff', isOnly: true });
    expect(loadConfig({ ...env, ...more }).openId?.domains).to.deep.equal(['example.com', 'example.org']);
    for (const local of ['http://localhost:8080', 'http://127.0.0.1:1/x', 'http://[::1]:2'])
      expect(loadConfig({ ...env, OIDC_ISSUER: local }).openId?.issuer).to.equal(local);
    for (const bad of [
      'id.example.com',
      'http://id.example.com',
      'https://a@b.c',
      'https://b.c?d',
      'ftp://b.c',
    ])
      expect(errorsOf({ ...env, OIDC_ISSUER: bad }), bad).to.contain('OIDC_ISSUER must');
    const alone = errorsOf({ OIDC_ONLY: 'yes', OIDC_DOMAINS: 'a b', OIDC_NAME: 'x'.repeat(41) });
    for (const name of Object.keys(env)) expect(alone).to.contain(`${name} must be set`);
    for (const name of ['OIDC_ONLY', 'OIDC_DOMAINS', 'OIDC_NAME'])
      expect(alone).to.contain(`${name} must be`);
    expect(errorsOf({ ...env, OIDC_CLIENT_SECRET: 'hid\u0000den' }))
      .to.contain('OIDC_CLIENT_SECRET')
      .and.to.not.contain('hid');
  });

  it('is read into a frozen object (decisions: Where things run)', () => {
    expect(Object.isFrozen(loadConfig({}))).to.equal(true);
  });

  it('reports every error at once, each variable by name (decisions: Where things run)', () => {
    const env = {
      PORT: '0',
      BASE_URL: 'ftp://qr.test',
      DATABASE_URL: 'mysql://127.0.0.1/qrelay',
      REDIS_URL: 'http://127.0.0.1',
      QR_CODE_LIFETIME_DAYS: 'a year',
      TRUST_PROXY_HOPS: '-1',
      LOG_LEVEL: 'loud',
      WEB_CONCURRENCY: '1.5',
    };
    const message = errorsOf(env);
    for (const name of Object.keys(env)) expect(message).to.match(new RegExp(`^  - ${name} must be `, 'm'));
    expect(message).to.match(/^The environment has 8 errors:\n/);
  });

  it('accepts a METRICS_TOKEN of 16 characters or more, which no message repeats, and rejects a METRICS_PORT equal to PORT', () => {
    expect(loadConfig({}).metricsToken).to.equal(undefined);
    expect(loadConfig({ METRICS_TOKEN: 'sixteen-letters!' }).metricsToken).to.equal('sixteen-letters!');
    for (const bad of ['fifteen-letters', 'with a space in it!', 'sechzehn-zeichen-ä']) {
      const message = errorsOf({ METRICS_TOKEN: bad });
      expect(message).to.include('METRICS_TOKEN must be at least 16 ASCII characters').and.not.include(bad);
    }
    expect(errorsOf({ PORT: '4000', METRICS_PORT: '4000' })).to.include('METRICS_PORT must differ from PORT');
  });

  for (const { name, field, least, most, fallback } of numbers) {
    it(`accepts ${name} from ${least} to ${most} and nothing else (decisions: Where things run)`, () => {
      expect(loadConfig({})[field]).to.equal(fallback);
      for (const good of [least, least + 1, most]) {
        expect(loadConfig({ [name]: String(good) })[field]).to.equal(good);
      }
      expect(loadConfig({ [name]: ` ${most} ` })[field]).to.equal(most);
      const bad = [
        least - 1,
        most + 1,
        '-1',
        '+5',
        '1.0',
        '1e1',
        '0x10',
        '1 0',
        'NaN',
        'Infinity',
        '٣',
        '9'.repeat(30),
      ];
      for (const text of bad.map(String)) {
        expect(errorsOf({ [name]: text }), text).to.include(
          `${name} must be a whole number from ${least} to ${most}`,
        );
      }
    });
  }

  it('accepts the log levels of pino and nothing else, info by default (decisions: Where things run)', () => {
    for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']) {
      expect(loadConfig({ LOG_LEVEL: level }).logLevel).to.equal(level);
    }
    for (const level of ['INFO', 'verbose', '30', 'toString']) {
      expect(errorsOf({ LOG_LEVEL: level })).to.include('LOG_LEVEL must be one of fatal, error');
    }
    expect(loadConfig({}, { logLevel: 'warn' }).logLevel).to.equal('warn');
    expect(loadConfig({ LOG_LEVEL: 'debug' }, { logLevel: 'warn' }).logLevel).to.equal('debug');
  });

  it('accepts DATABASE_URL and REDIS_URL with their own schemes only (decisions: Where things run)', () => {
    for (const url of ['postgres://u:p@db.test/qrelay', 'postgresql://db.test:5433/qrelay?sslmode=require']) {
      expect(loadConfig({ DATABASE_URL: url }).databaseUrl).to.equal(url);
    }
    for (const url of ['redis://127.0.0.1:6379', 'rediss://:secret@cache.test/2']) {
      expect(loadConfig({ REDIS_URL: url }).redisUrl).to.equal(url);
    }
    for (const url of ['127.0.0.1:5432', 'db.test/qrelay', 'redis://db.test', 'http://db.test']) {
      expect(errorsOf({ DATABASE_URL: url })).to.include(
        'DATABASE_URL must be a URL that starts with postgres://',
      );
    }
    for (const url of ['127.0.0.1:6379', 'postgres://cache.test', 'https://cache.test']) {
      expect(errorsOf({ REDIS_URL: url })).to.include('REDIS_URL must be a URL that starts with redis://');
    }
  });

  it('says how to escape a password that breaks the URL', () => {
    for (const url of [
      'postgres://qr:p@ss/word@db.test/qrelay',
      'postgres://qr:p#s@db.test/q',
      'postgres://q:a/b@db',
    ])
      expect(errorsOf({ DATABASE_URL: url }), url)
        .to.include('DATABASE_URL is not a valid URL: in its password, write @ as %40')
        .and.not.include('ss/word');
    expect(errorsOf({ REDIS_URL: 'redis://:p@ss/SECRET@127.0.0.1:6811' })).to.not.include('SECRET');
    const escaped = 'postgres://qr:p%40ss%2Fword@db.test/qrelay';
    expect(loadConfig({ DATABASE_URL: escaped }).databaseUrl).to.equal(escaped);
  });

  it('accepts several hosts in DATABASE_URL and DATABASE_REPLICA_URL, and in no other URL', () => {
    for (const url of [
      'postgres://qr:secret@a.test,b.test/qrelay',
      'postgres://qr:a,b@a.test:5432,b.test:5433/qrelay?sslmode=require',
      'postgresql://a.test,[::1]:5433/qrelay?target_session_attrs=read-write',
      'postgresql://a.test/qrelay?target_session_attrs=primary',
      'postgres://qr:a,b@db.test/qrelay?options=-c%20search_path=a,b',
    ])
      expect(loadConfig({ DATABASE_URL: url }).databaseUrl, url).to.equal(url);
    const primary = 'postgres://a.test/qrelay';
    for (const url of [
      'postgres://qr:secret@a.test:5432,b.test:5433/qrelay',
      'postgres://b.test/qrelay?target_session_attrs=prefer-standby',
    ])
      expect(loadConfig({ DATABASE_URL: primary, DATABASE_REPLICA_URL: url }).databaseReplicaUrl).to.equal(
        url,
      );
  });

  it('says how several hosts are written, and which of them connections go to', () => {
    for (const url of [
      'postgres://qr:secret@/qrelay?host=a.test,b.test',
      'postgres://qr:secret@c.test/qrelay?sslmode=require&host=a.test%2Cb.test',
    ])
      expect(errorsOf({ DATABASE_URL: url }), url)
        .to.include('DATABASE_URL must list its hosts before the database, as in postgres://')
        .and.not.include('secret');
    for (const url of ['postgres://qr:secret@a.test,,b.test/q', 'postgres://a.test:5432,:5433/q'])
      expect(errorsOf({ DATABASE_URL: url }), url).to.include('must have a name or address for each host');
    expect(errorsOf({ DATABASE_URL: `postgres://${Array(17).fill('a.test').join(',')}/q` })).to.include(
      'DATABASE_URL must not have more than 16 hosts',
    );
    expect(errorsOf({ DATABASE_URL: 'postgres://a.test,b.test:none/q' })).to.include('is not a valid URL');
    expect(errorsOf({ DATABASE_URL: 'postgres://a.test,b.test/q?target_session_attrs=standby' })).to.include(
      'DATABASE_URL must not have target_session_attrs=standby: use read-write or primary, or leave it out',
    );
    const replica = { DATABASE_REPLICA_URL: 'postgres://a.test/q?target_session_attrs=read-write' };
    expect(errorsOf({ DATABASE_URL: 'postgres://a.test/q', ...replica })).to.include(
      'DATABASE_REPLICA_URL must not have target_session_attrs=read-write: use any or standby',
    );
    expect(errorsOf({ DATABASE_REPLICA_URL: 'postgres://a.test/q' })).to.include(
      'DATABASE_REPLICA_URL needs DATABASE_URL',
    );
  });

  it('repeats no part of an invalid DATABASE_URL, REDIS_URL or BASE_URL, which may contain a password (decisions: Where things run)', () => {
    const values = [
      'mysql://someone:hunter2@db.test/x',
      'hunter2',
      'someone:hunter2@db.test',
      'x://someone:hunter2@[db.test',
    ];
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'BASE_URL']) {
      for (const value of values) {
        const message = errorsOf({ [name]: value });
        expect(message).to.include(name);
        for (const part of ['hunter2', 'someone', 'db.test', 'mysql']) expect(message).to.not.include(part);
      }
    }
    const withPassword = errorsOf({ BASE_URL: 'https://someone:hunter2@qr.test' });
    expect(withPassword).to.include('BASE_URL').and.not.include('hunter2');
  });

  it('removes trailing slashes from BASE_URL and keeps its path (2.1)', () => {
    const examples = {
      'https://qr.test': 'https://qr.test',
      'https://qr.test/': 'https://qr.test',
      'https://qr.test///': 'https://qr.test',
      'http://qr.test:8080/': 'http://qr.test:8080',
      'https://qr.test/codes/': 'https://qr.test/codes',
      ' https://qr.test ': 'https://qr.test',
    };
    for (const [given, expected] of Object.entries(examples)) {
      expect(loadConfig({ BASE_URL: given }).baseUrl, given).to.equal(expected);
    }
  });

  it('rejects a BASE_URL with a query, a fragment, a user name or a password (2.1)', () => {
    for (const end of ['?a=1', '/?a', '#a', '/codes/#a']) errorsOf({ BASE_URL: `https://qr.test${end}` });
    errorsOf({ BASE_URL: 'https://someone@qr.test' });
  });

  it('makes share URLs of the form {base_url}/r/<share_token> from whatever BASE_URL it accepts (2.1)', () => {
    for (const given of [
      'https://qr.test/?',
      'https://qr.test/#',
      'https:qr.test',
      'https:/qr.test',
      'https://qr.test/a b',
    ]) {
      let baseUrl: string;
      try {
        ({ baseUrl } = loadConfig({ BASE_URL: given }));
      } catch {
        continue;
      }
      const shareUrl = `${baseUrl}/r/AAAAAAAAAA`;
      expect(new URL(shareUrl).href, given).to.equal(shareUrl);
      expect(new URL(shareUrl).pathname, given).to.match(/\/r\/AAAAAAAAAA$/);
    }
  });

  it('defaults BASE_URL to localhost with PORT (2.1)', () => {
    expect(loadConfig({ PORT: '8080' }).baseUrl).to.equal('http://localhost:8080');
  });

  it('makes DATA_DIR absolute (decisions: Where things run)', () => {
    const { dataDir } = loadConfig({ DATA_DIR: 'some/folder' });
    expect(isAbsolute(dataDir)).to.equal(true);
    expect(dataDir).to.equal(resolve('some/folder'));
  });

  it('makes GEO_DATABASE absolute, and does not look at the file, which only workers need', () => {
    expect(loadConfig({}).geoDatabase).to.equal(undefined);
    expect(loadConfig({ GEO_DATABASE: 'no/such.mmdb' }).geoDatabase).to.equal(resolve('no/such.mmdb'));
  });

  it('says what to do when a process needs DATABASE_URL and has none (decisions: Where things run)', () => {
    expect(() => requireDatabaseUrl(loadConfig({}))).to.throw(SetupError, 'DATABASE_URL is not set');
    const url = 'postgres://db.test/qrelay';
    expect(requireDatabaseUrl(loadConfig({ DATABASE_URL: url }))).to.equal(url);
  });
});
