import type { TraceContext } from './trace-context.ts';

export interface SamplerConfig {
  /** The share of requests that are traced, from 0 to 1. */
  ratio: number;
  /** Whether the caller's decision counts, where there is one. */
  isParentBased: boolean;
}

/** Decides before any span exists, because most requests get none. */
export type Sampler = (parent?: TraceContext) => boolean;

/** A caller, and whoever can send headers through it, could otherwise have every request traced. */
export const maxForcedPerSecond = 100;

export function createSampler(
  { ratio, isParentBased }: SamplerConfig,
  elapsedMs: () => number = () => performance.now(),
): Sampler {
  let windowStart = Number.NEGATIVE_INFINITY;
  let forced = 0;

  function mayForce(): boolean {
    if (elapsedMs() - windowStart >= 1_000) {
      windowStart = elapsedMs();
      forced = 0;
    }
    forced += 1;
    return forced <= maxForcedPerSecond;
  }

  return (parent) => {
    if (!parent) return Math.random() < ratio;
    if (isParentBased) return parent.isSampled && mayForce();
    // By the trace's id, so that all processes decide alike.
    return Number.parseInt(parent.traceId.slice(-8), 16) < ratio * 2 ** 32;
  };
}
