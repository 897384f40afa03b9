import { describeProperties } from '../hostile/properties.ts';

describeProperties(200);
