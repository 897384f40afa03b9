import { Ajv, type ValidateFunction } from 'ajv';
import type { QueueDefinition } from './queue-definition.ts';

const ajv = new Ajv();
const validators = new WeakMap<object, ValidateFunction>();

/** Whether a job's data matches the contract of its queue. */
export function isJobOf<Data>({ contract }: QueueDefinition<Data>, data: unknown): data is Data {
  let validate = validators.get(contract);
  if (!validate) {
    validate = ajv.compile(contract);
    validators.set(contract, validate);
  }
  return validate(data);
}
