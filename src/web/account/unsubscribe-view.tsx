import type { NoticeKind } from '../../notices/owners.ts';
import { Layout, type Visitor } from '../ui/layout.tsx';
import { Notice } from '../ui/notice.tsx';
import { noticeLabels } from './notices-card.tsx';

interface UnsubscribeProps {
  visitor: Visitor;
  kind: NoticeKind;
  isDone: boolean;
}

export function UnsubscribeView({ visitor, kind, isDone }: UnsubscribeProps) {
  return (
    <Layout title="Emails about your codes" visitor={visitor}>
      <h1>Emails about your codes</h1>
      {isDone ? (
        <>
          <Notice kind="good">You no longer get emails of this kind: {noticeLabels[kind]}.</Notice>
          <p>
            <a href="/account#notices">Choose which emails you get</a>
          </p>
        </>
      ) : (
        <section class="card narrow">
          <p>Stop emails of this kind? {noticeLabels[kind]}.</p>
          <form method="post">
            <input type="hidden" name="List-Unsubscribe" value="One-Click" />
            <button type="submit">Stop these emails</button>
          </form>
        </section>
      )}
    </Layout>
  );
}
