import { describeRandomDesigns } from '../codes/proof/describe-random-designs.ts';

/** More with `RANDOM_DESIGNS=2000`. */
const count = Number(process.env['RANDOM_DESIGNS'] ?? 200);

describeRandomDesigns(count, count * 5_000);
