import { createHash, timingSafeEqual } from 'node:crypto';
import { Registry } from 'prom-client';
import { type HttpServer, openHttpServer } from '../http/http-server.ts';

export const metricsPath = '/metrics';
export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;

/** All metrics in Prometheus text format. */
export type ReadMetrics = () => Promise<string>;

interface MetricsServerOptions {
  port: number;
  /** The environment variable that sets the port, for the error message. */
  variable: string;
  host: string | undefined;
  /** Undefined: no authentication. */
  token: string | undefined;
  read: ReadMetrics;
}

/** Metrics on a separate port, which can stay closed to the public. */
export function openMetricsServer({
  port,
  variable,
  host,
  token,
  read,
}: MetricsServerOptions): Promise<HttpServer> {
  return openHttpServer(
    (req, res) => {
      if (req.url?.split('?')[0] !== metricsPath) return void res.writeHead(404).end();
      if (token !== undefined && !hasBearerToken(req.headers.authorization, token))
        return void res.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
      read().then(
        (text) => res.writeHead(200, { 'Content-Type': metricsContentType }).end(text),
        () => res.writeHead(503).end(),
      );
    },
    { port, host, idleGraceMs: 0, variable },
  );
}

/** Compares digests, so that the time does not depend on where the tokens differ. */
export function hasBearerToken(authorization: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}
