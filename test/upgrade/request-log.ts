/** What the clients of a run got. */
export interface RequestLog {
  requests: number;
  slowestMs: number;
  /** Unexpected responses and broken connections, each with the time and the step of the upgrade. */
  faults: string[];
  /** Sends a request, measures it, and records a fault unless `expected` accepts the response. */
  send(what: string, request: () => Promise<Response>, expected: number): Promise<Response | undefined>;
  fault(what: string): void;
}

export function createRequestLog(currentStep: () => string): RequestLog {
  const log: RequestLog = {
    requests: 0,
    slowestMs: 0,
    faults: [],
    async send(what, request, expected) {
      const startedAt = performance.now();
      try {
        const response = await request();
        log.requests += 1;
        log.slowestMs = Math.max(log.slowestMs, performance.now() - startedAt);
        if (response.status === expected) return response;
        log.fault(`${what} answers ${response.status}: ${(await response.text()).slice(0, 300)}`);
      } catch (error) {
        log.fault(`${what} fails: ${String((error as Error).cause ?? error)}`);
      }
      return undefined;
    },
    fault(what) {
      log.faults.push(`${currentStep()}: ${what}`);
    },
  };
  return log;
}
