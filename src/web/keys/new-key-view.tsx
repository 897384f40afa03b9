import type { KeyGrant } from '../../accounts/api-keys.ts';
import { hasScope, type KeyScopes } from '../../accounts/key-scopes.ts';
import { lastDayOf } from '../../codes/lifetime.ts';
import { CopyableField, CopyableText } from '../ui/copyable.tsx';
import { Icon } from '../ui/icons.tsx';
import { Page } from '../ui/layout.tsx';
import { Day } from '../ui/time.tsx';

interface NewKeyProps {
  name: string;
  apiKey: string;
  /** As it was stored, in JSON. */
  grant: Pick<KeyGrant, 'scopes'> & { expiresAt: Date | string | null };
  baseUrl: string;
}

/** The only page that shows the key. */
export function NewKeyView({ name, apiKey, grant: { scopes, expiresAt }, baseUrl }: NewKeyProps) {
  const curl = `curl ${baseUrl}/api/v1${tryPath(scopes)} \\
  -H 'Authorization: Bearer ${apiKey}'${hasScope(scopes, 'codes') ? newCode : ''}`;
  return (
    <Page title="API keys" at="/keys" styles={['keys']}>
      <section class="card">
        <h2>
          Your new key: <bdi>{name}</bdi>
        </h2>
        <div class="notice warn">Copy it now and keep it safe. It is not shown again.</div>
        <CopyableField id="new-key" label="Key" value={apiKey} button="Copy key" />
        <p class="after">
          It can do {scopes ? `only this: ${scopes.join(', ')}` : 'everything'}, and{' '}
          {expiresAt ? (
            <>
              works through <Day date={lastDayOf(new Date(expiresAt))} /> (UTC).
            </>
          ) : (
            'does not expire.'
          )}
        </p>
        <h3>Try it</h3>
        <CopyableText id="try-it" label="Copy the command" text={curl} />
        <p class="after">
          <a class="button quiet" href="/keys">
            <Icon name="arrow-left" />
            Back to all keys
          </a>
        </p>
      </section>
    </Page>
  );
}

const newCode = ` \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "My first code", "type": "url", "content": "https://example.com/"}'`;

/** Something that the key may ask for. */
function tryPath(scopes: KeyScopes): string {
  if (hasScope(scopes, 'read')) return '/qrcodes';
  if (hasScope(scopes, 'webhooks')) return '/webhooks';
  return hasScope(scopes, 'audit') ? '/audit' : '/qrcodes/$ID/analytics';
}
