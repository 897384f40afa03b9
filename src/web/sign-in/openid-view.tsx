import { Form, NarrowPage } from '../ui/layout.tsx';
import { useVisitor } from '../ui/visitor.ts';

/** Nothing where there is no OpenID provider. */
export function ProviderForm({ next, isQuiet }: { next?: string | undefined; isQuiet: boolean }) {
  const { provider } = useVisitor();
  if (!provider) return null;
  return (
    <Form action="/signin/oidc">
      {next && <input type="hidden" name="next" value={next} />}
      <button type="submit" class={isQuiet ? 'quiet' : undefined}>
        {/* One element, because buttons leave a gap between several. */}
        <span>
          Sign in with <bdi>{provider.name}</bdi>
        </span>
      </button>
    </Form>
  );
}

/** Instead of a page or form that is for passwords, passkeys or links by mail. */
export function ProviderOnlyView() {
  const { provider, email } = useVisitor();
  return (
    <NarrowPage title={`Sign in with ${provider?.name}`} icon="lock">
      <p>
        This service has no passwords, passkeys or sign-up of its own. Everybody signs in with{' '}
        <bdi>{provider?.name}</bdi>.
      </p>
      {email === undefined ? (
        <ProviderForm isQuiet={false} />
      ) : (
        <p>
          <a class="button quiet" href="/account">
            Back to your account
          </a>
        </p>
      )}
    </NarrowPage>
  );
}

/** The browser goes on by itself. A redirect would be part of the form, which must not lead to another site. */
export function ContinueView({ url }: { url: string }) {
  const { provider } = useVisitor();
  return (
    <NarrowPage title={`Continue with ${provider?.name}`}>
      <p>
        <a class="button" href={url} rel="noreferrer">
          Continue
        </a>
      </p>
    </NarrowPage>
  );
}
