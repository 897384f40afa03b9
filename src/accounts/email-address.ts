import type { FieldError } from '../errors.ts';

/** As strict as `<input type=email>`: one @, no spaces, a host with or without a dot. */
const pattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

export function emailErrors(field: string, email: string): FieldError[] {
  return email.length <= 254 && pattern.test(email)
    ? []
    : [{ field, message: 'must be an address such as you@example.com' }];
}

/** Without what follows a plus sign, which most providers deliver to the same mailbox. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const [name = ''] = email.slice(0, at).split('+', 1);
  return name + email.slice(at);
}
