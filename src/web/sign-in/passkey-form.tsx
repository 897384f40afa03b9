import { Form, type Visitor } from '../ui/layout.tsx';

interface PasskeyFormProps {
  visitor: Visitor;
  next: string | undefined;
}

/** Hidden until passkey.browser.js finds that the browser knows passkeys. */
export function PasskeyForm({ visitor, next }: PasskeyFormProps) {
  return (
    <Form action="/signin/passkey" class="passkey">
      {next && <input type="hidden" name="next" value={next} />}
      <input type="hidden" name="response" value="" />
      <button type="submit" class="quiet" data-passkey="get" hidden>
        Sign in with a passkey
      </button>
      {/* Inside, so that the form is next to what is above and below it on the page. */}
      <script type="module" src={`${visitor.assets}/security/passkey.browser.js`} />
    </Form>
  );
}
