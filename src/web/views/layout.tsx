import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** What every page needs to know of its visitor. */
export interface Visitor {
  /** Absent where nobody is signed in. */
  email: string | undefined;
  /** Of the service: they alone are shown the way to its queue. */
  isOperator: boolean;
  /** What a form on this page must bring back. */
  formToken: string;
  /** Where the stylesheet and the scripts are: changes with their content, so that they can be kept for ever. */
  assets: string;
  /** Not where only the command line makes accounts. */
  canSignUp: boolean;
}

interface LayoutProps {
  title: string;
  visitor: Visitor;
  /** The path of the section that is open. */
  at?: string;
  children: ComponentChildren;
}

const sections = [
  { path: '/codes', name: 'QR codes' },
  { path: '/keys', name: 'API Keys' },
  { path: '/docs', name: 'Docs' },
  { path: '/account', name: 'Account' },
];
const operatorSections = [...sections, { path: '/admin/queues', name: 'Queues' }];

export function Layout({ title, visitor, at, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title === 'Qrelay' ? title : `${title} · Qrelay`}</title>
        <link rel="icon" href={`${visitor.assets}/icon.svg`} type="image/svg+xml" />
        <link rel="stylesheet" href={`${visitor.assets}/app.css`} />
        <script type="module" src={`${visitor.assets}/app.js`} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class={visitor.email === undefined ? 'top' : 'top signed-in'}>
          <a class="brand" href="/">
            <img src={`${visitor.assets}/icon.svg`} width="24" height="24" alt="" />
            Qrelay
          </a>
          {visitor.email === undefined ? (
            <nav aria-label="Account">
              <a href="/docs" aria-current={at === '/docs' ? 'page' : undefined}>
                Docs
              </a>
              <a href="/signin">Sign in</a>
              {visitor.canSignUp && (
                <a class="button small" href="/signup">
                  Sign up
                </a>
              )}
            </nav>
          ) : (
            <nav aria-label="Sections">
              {(visitor.isOperator ? operatorSections : sections).map(({ path, name }) => (
                <a key={path} href={path} aria-current={path === at ? 'page' : undefined}>
                  {name}
                </a>
              ))}
            </nav>
          )}
          {visitor.email !== undefined && (
            <Form action="/signout" visitor={visitor}>
              <button class="link" type="submit">
                Sign out
              </button>
            </Form>
          )}
        </header>
        <main id="content">{children}</main>
      </body>
    </html>
  );
}

interface FormProps {
  action: string;
  visitor: Visitor;
  class?: string;
  children: ComponentChildren;
}

/** Every form posts, and brings the token that tells it apart from another site's. */
export function Form({ action, visitor, class: name, children }: FormProps) {
  return (
    <form method="post" action={action} class={name}>
      <input type="hidden" name="formToken" value={visitor.formToken} />
      {children}
    </form>
  );
}

export function render(page: VNode): string {
  return `<!doctype html>\n${renderToString(page)}\n`;
}
