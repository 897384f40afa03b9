import type { ShowProblem } from '../middleware/errors.ts';
import { ProblemView } from './problem-view.tsx';
import { type PageParts, show, visitorOf } from './page.ts';

export function problemPage(parts: PageParts): ShowProblem {
  return (ctx, { status, message }) =>
    show(
      ctx,
      ProblemView,
      {
        visitor: visitorOf(ctx, parts),
        status,
        message,
        requestId: String(ctx.state['requestId']),
        // A link cannot repeat a POST.
        canRetry: status === 503 && ctx.method === 'GET',
      },
      status,
    );
}
