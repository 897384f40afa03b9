import { Input } from '../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';
import { Notice } from '../ui/notice.tsx';
import { PasskeyForm } from './passkey-form.tsx';

interface SecondFactorProps {
  visitor: Visitor;
  hasPasskeys: boolean;
  next: string;
  problem?: string | undefined;
}

export function SecondFactorView({ visitor, hasPasskeys, next, problem }: SecondFactorProps) {
  return (
    <Layout title="Second step" visitor={visitor}>
      <section class="card narrow">
        <h1>Second step</h1>
        <p>Your account is protected with two-factor sign-in.</p>
        {problem && <Notice kind="bad">{problem}</Notice>}
        {hasPasskeys && <PasskeyForm visitor={visitor} next={next} />}
        <Form action="/signin/second">
          <input type="hidden" name="next" value={next} />
          <Input
            form={{ values: {}, errors: [] }}
            name="code"
            label="Code"
            required
            autocomplete="one-time-code"
            maxLength={50}
            hint="From your authenticator app, or one of your recovery codes."
          />
          <button type="submit">Sign in</button>
        </Form>
        <p class="quiet">
          <a href="/signin">Back to sign-in</a>
        </p>
      </section>
    </Layout>
  );
}
