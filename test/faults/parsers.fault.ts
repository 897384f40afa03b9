import { describeParseTimes } from '../hostile/parse-times.ts';

describeParseTimes({ everything: true });
