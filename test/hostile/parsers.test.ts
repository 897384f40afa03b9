import { describeParseTimes } from './parse-times.ts';

describeParseTimes({ everything: false });
