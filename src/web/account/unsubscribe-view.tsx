import type { NoticeKind } from '../../notices/kinds.ts';
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
    <Layout title="Mails about your codes" visitor={visitor}>
      <h1>Mails about your codes</h1>
      {isDone ? (
        <>
          <Notice kind="good">You get no more mails of this kind: {noticeLabels[kind]}.</Notice>
          <p>
            <a href="/account#notices">Choose which mails you get</a>
          </p>
        </>
      ) : (
        <section class="card narrow">
          <p>Do you want no more mails of this kind: {noticeLabels[kind]}?</p>
          <form method="post">
            <input type="hidden" name="List-Unsubscribe" value="One-Click" />
            <button type="submit">Stop these mails</button>
          </form>
        </section>
      )}
    </Layout>
  );
}
