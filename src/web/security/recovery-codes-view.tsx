import { CopyableText } from '../ui/copyable.tsx';
import { Layout, type Visitor } from '../ui/layout.tsx';
import { Notice } from '../ui/notice.tsx';

interface RecoveryCodesProps {
  visitor: Visitor;
  codes: string[];
  text?: string | undefined;
}

export function RecoveryCodesView({ visitor, codes, text }: RecoveryCodesProps) {
  return (
    <Layout title="Recovery codes" visitor={visitor} at="/account">
      <section class="card narrow">
        <h1>Recovery codes</h1>
        {text && <Notice kind="good">{text}</Notice>}
        <p>
          Keep these codes in a safe place. If you lose your phone or your passkey, each of them lets you sign
          in once. They are not shown again, and replace all earlier ones.
        </p>
        <CopyableText id="recovery-codes" label="Copy the recovery codes" text={codes.join('\n')} />
        <p>
          <a href="/account/security">Back to security</a>
        </p>
      </section>
    </Layout>
  );
}
