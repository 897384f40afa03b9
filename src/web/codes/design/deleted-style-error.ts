import { AppError } from '../../../errors.ts';

/** The style that a form was filled with is not there any more. The form is shown again, with the other choices. */
export class DeletedStyleError extends AppError {
  constructor() {
    super(
      'not_found',
      'The style that this form was filled with was deleted meanwhile. Your choices are kept, but not its logo: check the logo, then save again.',
    );
    this.name = 'DeletedStyleError';
  }
}
