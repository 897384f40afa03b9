import type { ShowError } from '../middleware/errors.ts';
import { NarrowPage } from './layout.tsx';
import type { Services } from '../services.ts';
import { show, visitorOf } from './page.ts';

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
  const title = titles[status] ?? (status < 500 ? 'That did not work' : 'Something went wrong');
  return (
    <NarrowPage title={title}>
      <p>{message}</p>
      <p>{canRetry ? <a href="">Try again</a> : <a href="/">Go to the front page</a>}</p>
      {status >= 500 && (
        <p class="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
    </NarrowPage>
  );
}
