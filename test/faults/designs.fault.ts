import { describeRandomDesigns } from '../codes/proof/describe-random-designs.ts';

describeRandomDesigns(2_000, 3_600_000);
