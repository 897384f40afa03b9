import { AppError, BusyError, type FieldError } from '../../../errors.ts';
import { refusedByLimit } from '../../form-quota.ts';
import { DeletedStyleError } from './deleted-style-error.ts';
import { designFieldNames } from './design-values.ts';

export interface Refusal {
  errors?: FieldError[];
  problem?: string | undefined;
  status?: number;
}

/** What the form says about a design that was not saved. Browsers do not keep a chosen file. */
export function refusalOf(error: unknown, hadFile: boolean): Refusal {
  const refusal = withoutFile(error);
  return hadFile ? { ...refusal, problem: `${refusal.problem} Choose the logo again.` } : refusal;
}

function withoutFile(error: unknown): Refusal {
  const refused = refusedByLimit(error);
  if (refused) return refused;
  if (error instanceof BusyError) return { problem: error.message, status: error.status };
  if (error instanceof DeletedStyleError)
    return { problem: `Not saved. ${error.message}`, status: error.status };
  if (!(error instanceof AppError) || error.code !== 'validation_error') throw error;
  if (!error.details) return { problem: `Not saved. ${error.message}`, status: error.status };
  // The only field that is called `name` in the rules.
  const errors = error.details.map((each) =>
    each.field === 'name' ? { ...each, field: 'styleName' } : each,
  );
  const shown = new Set([...designFieldNames, 'logo', 'styleName']);
  const others = errors.filter(({ field: name }) => !shown.has(name));
  return {
    errors,
    problem: [
      'Not saved.',
      ...others.map(sentenceOf),
      ...(others.length === 0 ? ['Check the marked fields.'] : []),
    ].join(' '),
    status: 400,
  };
}

/** Of a field that is on the page of the code. */
function sentenceOf({ field: name, message }: FieldError): string {
  const words = {
    foregroundColor: 'The foreground color',
    backgroundColor: 'The background color',
    errorCorrection: 'The error correction',
  };
  const subject = Object.hasOwn(words, name) ? words[name as keyof typeof words] : 'The design';
  return `${subject} ${message}.`;
}
