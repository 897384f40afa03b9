import { formClient } from './form-client.ts';

interface SignInOptions {
  /** For a service behind a proxy: where it is told the client is. */
  address?: string;
}

/** Signs in as a new browser would, and gives the status: 303 for the right password. */
export async function signInStatus(
  url: string,
  email: string,
  password: string,
  { address }: SignInOptions = {},
): Promise<number> {
  const client = formClient(url);
  await client.get('/signin');
  const headers = address === undefined ? {} : { 'X-Forwarded-For': address };
  return (await client.post('/signin', { email, password }, headers)).status;
}
