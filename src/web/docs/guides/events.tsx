import type { Reference } from '../../api/reference.ts';
import { Samples } from '../example-view.tsx';
import { Fields, Words } from '../fields-view.tsx';
import type { Guide } from './guide.ts';

/** Each throws unless the call comes from this service. The tests run them. */
export const verification = {
  javascript: `import { verifyWebhook } from '@qrelay/client';

const secret = process.env.WEBHOOK_SECRET;
const body = await request.text(); // exactly as it arrived
const event = await verifyWebhook(body, request.headers, secret);
if (event.type === 'scan.recorded') console.log(event.data.scans);`,
  python: `import base64
import hashlib
import hmac
import os
import time

def verify(headers, body):  # body: bytes, exactly as they arrived
    sent_at = headers["webhook-timestamp"]
    if abs(time.time() - int(sent_at)) > 300:
        raise ValueError("The call is too old")
    key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{sent_at}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    signatures = headers["webhook-signature"].encode().split()
    if not any(hmac.compare_digest(expected, each) for each in signatures):
        raise ValueError("The signature is wrong")`,
  php: `<?php
function verify(array $headers, string $body): void // exactly as it arrived
{
    $sentAt = $headers['webhook-timestamp'];
    if (abs(time() - (int) $sentAt) > 300) {
        throw new Exception('The call is too old');
    }
    $key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
    $signed = $headers['webhook-id'] . '.' . $sentAt . '.' . $body;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    foreach (explode(' ', $headers['webhook-signature']) as $signature) {
        if (hash_equals($expected, $signature)) {
            return;
        }
    }
    throw new Exception('The signature is wrong');
}`,
} as const;

/** The calls that the service sends. */
export function eventsGuide({ events: { description, headers, list } }: Reference): Guide {
  return {
    title: 'Webhook events',
    lead: 'The service calls your webhook endpoints with POST when something happens.',
    sections: [
      {
        id: 'events',
        title: 'A call',
        body: (
          <>
            <p>
              <a href="/docs/webhooks#createWebhook">Create an endpoint</a> for the events that you need.{' '}
              <Words text={description} />
            </p>
            <Fields fields={headers} caption="Headers of a call" isResponse />
          </>
        ),
      },
      {
        id: 'verify-call',
        title: 'Verify a call',
        body: (
          <>
            <p>
              Anybody could call your endpoint. Verify the signature with the secret of the endpoint before
              you use the body. There are libraries for more languages at{' '}
              <a href="https://www.standardwebhooks.com" rel="noreferrer">
                Standard Webhooks
              </a>
              .
            </p>
            <Samples
              id="verification"
              label="Verify a call"
              texts={[
                { language: 'javascript', text: verification.javascript },
                { language: 'python', text: verification.python },
                { language: 'php', text: verification.php },
              ]}
            />
          </>
        ),
      },
      ...list.map(({ name, summary, fields, example }) => ({
        id: `event-${name}`,
        title: name,
        body: (
          <>
            <p>
              <Words text={summary} />
            </p>
            <pre>{example}</pre>
            <details>
              <summary>Fields of {name}</summary>
              <Fields fields={fields} caption={`Fields of ${name}`} isResponse />
            </details>
          </>
        ),
      })),
    ],
  };
}
