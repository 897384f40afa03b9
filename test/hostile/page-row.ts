/** The expected response: status, visible text, redirect. */
interface PageExpectation {
  status: number;
  says?: string;
  location?: string;
  allow?: string;
}

export interface PageRow {
  name: string;
  method?: string;
  /** `:id` is a code of the visitor, and `:trashed` one in their trash. */
  path: string;
  headers?: [name: string, value: string][];
  /** Sent as a form, with `{token}` for the token of the page, unless the headers say otherwise. */
  form?: string;
  withoutSession?: true;
  gets: PageExpectation;
}

export const nothing: PageExpectation = { status: 404, says: 'There is nothing at this address.' };
export const noCode: PageExpectation = { status: 404, says: 'There is no such QR code.' };
export const noWebhook: PageExpectation = { status: 404, says: 'There is no such webhook endpoint.' };
export const noDelivery: PageExpectation = { status: 404, says: 'There is no such delivery.' };
export const noPasskey: PageExpectation = { status: 401, says: 'The passkey was not accepted.' };
export const noExport: PageExpectation = { status: 404, says: 'There is no export to download.' };
export const deadLink: PageExpectation = { status: 404, says: 'This link does not work' };
export const noKey: PageExpectation = { status: 404, says: 'There is no such key.' };
export const formsOnly: PageExpectation = { status: 415, says: 'This page only accepts forms.' };
export const formAddress: PageExpectation = {
  status: 405,
  says: 'This page only accepts forms. Open the page with the form.',
  allow: 'POST',
};
export const takes = (method: string, allow: string): PageExpectation => ({
  status: 405,
  says: `${method} is not allowed here; use ${allow}.`,
  allow,
});
export const tooOld: PageExpectation = {
  status: 403,
  says: 'The page was open for too long, or cookies are disabled. Open it again and repeat.',
};
export const fromElsewhere: PageExpectation = { status: 403, says: 'It was sent from another site.' };
export const unreadable: PageExpectation = { status: 400, says: 'The form is malformed.' };
export const wrong: PageExpectation = { status: 401, says: 'or the password is wrong.' };
export const opens = (says: string): PageExpectation => ({ status: 200, says });
export const leads = (location: string): PageExpectation => ({ status: 303, location });
export const refused = (says: string): PageExpectation => ({ status: 400, says });

export const get = (name: string, path: string, gets: PageExpectation): PageRow => ({ name, path, gets });
export const post = (name: string, path: string, form: string, gets: PageExpectation): PageRow => ({
  name,
  method: 'POST',
  path,
  form,
  gets,
});
export const asking = (method: string, path: string, gets: PageExpectation): PageRow => ({
  name: `${method} ${path}`,
  method,
  path,
  gets,
});
/** A form that creates a key, sent in an unusual way. */
export const sent = (
  name: string,
  form: string,
  headers: [string, string][],
  gets: PageExpectation,
): PageRow => ({
  ...post(`a form ${name}`, '/keys', form, gets),
  headers,
});
export const typed = (type: string): [string, string][] => [['Content-Type', type]];
