import { Layout, type Visitor } from './layout.tsx';

interface ProblemProps {
  visitor: Visitor;
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

export function ProblemView({ visitor, status, message, requestId, canRetry }: ProblemProps) {
  const title = titles[status] ?? (status < 500 ? 'That did not work' : 'Something went wrong');
  return (
    <Layout title={title} visitor={visitor}>
      <section class="card narrow">
        <h1>{title}</h1>
        <p>{message}</p>
        <p>{canRetry ? <a href="">Try again</a> : <a href="/">Go to the front page</a>}</p>
        {status >= 500 && (
          <p class="quiet">
            Request <code>{requestId}</code>
          </p>
        )}
      </section>
    </Layout>
  );
}
