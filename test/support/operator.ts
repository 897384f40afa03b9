import { findOrCreateUser, setAdmin } from '../../src/accounts/users.ts';
import { type FormClient, signedIn } from './form-client.ts';
import type { TestService } from './service.ts';

/** An operator who is signed in, with the CSRF token of a page. */
export async function signedInOperator(
  service: Pick<TestService, 'url' | 'db'>,
  email = 'operator@example.com',
): Promise<FormClient> {
  await setAdmin(service.db, await findOrCreateUser(service.db, email, new Date()), true, new Date());
  const client = await signedIn(service, email);
  await client.get('/account');
  return client;
}

/** The visible text of a page's main part. */
export async function mainText(answer: Response): Promise<string> {
  const html = await answer.text();
  return (/<main[^]*<\/main>/.exec(html)?.[0] ?? html)
    .replaceAll(/<(?:title|script)[^]*?<\/(?:title|script)>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');
}
