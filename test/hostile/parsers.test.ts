import { describeParseTimes } from './parse-times.ts';

describeParseTimes({ everyPair: false });
