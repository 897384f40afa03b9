import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type FormClient, formClient } from '../support/form-client.ts';
import { repeat } from './repeat.ts';
import type { RequestLog } from './request-log.ts';

/** Forms are limited by address. */
const pauseMs = 400;

interface SessionLoad {
  /** Codes that were created with the form. */
  codes(): number;
  stop(): Promise<void>;
}

/** Somebody who signed up once and then works in the browser: opens forms, sends them, and reads the pages. */
export async function startSessionLoad(url: string, log: RequestLog): Promise<SessionLoad> {
  const client: FormClient = formClient(url);
  const email = 'owner@example.com';
  // On a busy machine, hashing the password may take longer than the service waits for it.
  await eventually(async () => {
    await client.get('/signup');
    const answer = await client.post('/signup', { email, password: 'correct-horse-battery' });
    expect(answer.status, 'sign-up').to.equal(303);
  });
  let codes = 0;

  async function turn(): Promise<void> {
    const account = await log.send('GET /account', () => client.get('/account'), 200);
    if (account && !(await account.text()).includes(email)) log.fault('the session has ended');
    if (!(await log.send('GET /codes/new', () => client.get('/codes/new'), 200))) return;
    const form = {
      type: 'url',
      content: 'example.com/menu',
      name: `Menu ${codes}`,
      size: '512',
      errorCorrection: 'M',
      foregroundColor: '#000000',
      backgroundColor: '#ffffff',
    };
    const made = await log.send('POST /codes/new', () => client.post('/codes/new', form), 303);
    const path = made?.headers.get('location') ?? '';
    if (!/^\/codes\/[0-9a-f-]{36}$/.test(path)) return log.fault(`POST /codes/new leads to "${path}"`);
    const page = await log.send('GET /codes/:id', () => client.get(path), 200);
    if (page && !(await page.text()).includes(form.name))
      log.fault(`the page of ${form.name} lacks its name`);
    codes += 1;
  }

  const repeated = repeat(turn, pauseMs, (error) => log.fault(String(error)));
  return { codes: () => codes, stop: repeated.stop };
}
