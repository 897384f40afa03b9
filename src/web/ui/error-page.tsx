import type { ShowError } from '../middleware/errors.ts';
import { NarrowPage } from './layout.tsx';
import type { Services } from '../services.ts';
import { show, visitorOf } from './page.ts';
import { useVisitor } from './visitor.ts';
import { withTemplates } from './words.tsx';

interface ErrorProps {
  status: number;
  message: string;
  requestId: string;
  /** Whether loading the same URL again may help. */
  canRetry: boolean;
}

const titles: Record<number, string> = {
  404: 'Page not found',
  405: 'Not possible here',
  429: 'Too many requests',
  503: 'Try again shortly',
};

export function errorPage(parts: Services): ShowError {
  return (ctx, { status, message }) => {
    // A link cannot repeat a POST.
    const canRetry = status === 503 && ctx.method === 'GET';
    const requestId = String(ctx.state['requestId']);
    show(ctx, ErrorView, { visitor: visitorOf(ctx, parts), status, message, requestId, canRetry }, status);
  };
}

function ErrorView({ status, message, requestId, canRetry }: ErrorProps) {
  const { email, isDemo, canSignUp } = useVisitor();
  const ofStatus = isDemo && status === 403 ? 'Not in the demo' : titles[status];
  const title = ofStatus ?? (status < 500 ? 'That did not work' : 'Something went wrong');
  return (
    <NarrowPage title={title} icon={status === 404 ? 'search' : 'triangle-alert'}>
      <p>{withTemplates(message)}</p>
      {isDemo ? (
        <p class="row">
          <a class="button" href={canSignUp ? '/signup' : '/signin'}>
            {canSignUp ? 'Sign up' : 'Sign in'}
          </a>
          <a class="button quiet" href="/codes">
            Back to the demo
          </a>
        </p>
      ) : (
        <p class="row">
          {canRetry && (
            <a class="button" href="">
              Try again
            </a>
          )}
          {email === undefined ? (
            <a class="button quiet" href="/">
              Go to the front page
            </a>
          ) : (
            <>
              <a class={canRetry ? 'button quiet' : 'button'} href="/codes">
                Your QR codes
              </a>
              <a class="button quiet" href="/docs">
                Docs
              </a>
            </>
          )}
        </p>
      )}
      {status >= 500 && (
        <p class="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
    </NarrowPage>
  );
}
