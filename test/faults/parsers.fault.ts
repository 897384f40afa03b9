import { describeParseTimes } from '../hostile/parse-times.ts';

describeParseTimes({ everyPair: true });
