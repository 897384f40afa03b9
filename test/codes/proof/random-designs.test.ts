// Inputs: src/codes, src/runtime, src/telemetry, src/errors.ts, src/limits.ts, src/schema.ts
import { describeRandomDesigns } from './describe-random-designs.ts';

// test/faults/designs.fault.ts has 2,000.
describeRandomDesigns(6, 120_000);
