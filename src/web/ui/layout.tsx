import { type ComponentChildren, createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { renderToString } from 'preact-render-to-string';
import type { Config, FooterLink } from '../../config.ts';
import { momentFormat } from './day.ts';

/** What every page needs to know of its visitor. */
export interface Visitor {
  /** Absent where nobody is signed in. */
  email: string | undefined;
  /** Of the service: they alone are shown the way to its queue. */
  isOperator: boolean;
  /** What a form on this page must bring back. */
  csrfToken: string;
  /** Where the stylesheet and the scripts are: changes with their content, so that they can be kept for ever. */
  assets: string;
  /** Not where only the command line makes accounts. */
  canSignUp: boolean;
  footerLinks: Config['footerLinks'];
  /** In which days and times are written, as a BCP 47 tag. */
  locale: string;
}

interface LayoutProps {
  title: string;
  visitor: Visitor;
  /** The path of the section that is open. */
  at?: string;
  /** The folders of `src/web` whose style sheets the page needs beside the shared one. */
  styles?: string[];
  children: ComponentChildren;
}

/** So that a form knows its token without being told by all that it stands in. */
const VisitorContext = createContext<Visitor | undefined>(undefined);

const publicSections = [
  { path: '/docs', name: 'Docs' },
  { path: '/signin', name: 'Sign in' },
];
const sections = [
  { path: '/codes', name: 'QR codes' },
  { path: '/keys', name: 'API Keys' },
  { path: '/docs', name: 'Docs' },
];
const footerLinks: [FooterLink, string][] = [
  ['privacy', 'Privacy'],
  ['imprint', 'Imprint'],
  ['terms', 'Terms'],
  ['contact', 'Contact'],
  ['source', 'Source code'],
];
const operatorSections = [...sections, { path: '/admin/queues', name: 'Queues' }];

export function Layout({ title, visitor, at, styles = [], children }: LayoutProps) {
  const isSignedIn = visitor.email !== undefined;
  return (
    <VisitorContext.Provider value={visitor}>
      {/* app.browser.js formats times with the two data attributes. */}
      <html lang="en" data-locale={visitor.locale} data-time-format={JSON.stringify(momentFormat)}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{title === 'Qrelay' ? title : `${title} · Qrelay`}</title>
          <link rel="icon" href={`${visitor.assets}/ui/icon.svg`} type="image/svg+xml" />
          {['ui', ...styles].map((folder) => (
            <link key={folder} rel="stylesheet" href={`${visitor.assets}/${folder}.css`} />
          ))}
          <script type="module" src={`${visitor.assets}/ui/app.browser.js`} />
        </head>
        <body>
          <a class="skip" href="#content">
            Skip to the content
          </a>
          <header class={isSignedIn ? 'top signed-in' : 'top'}>
            <a class="brand" href="/">
              <img src={`${visitor.assets}/ui/icon.svg`} width="24" height="24" alt="" />
              Qrelay
            </a>
            <nav aria-label="Main">
              {sectionsOf(visitor).map((section) => (
                <Section key={section.path} {...section} at={at} />
              ))}
              {!isSignedIn && visitor.canSignUp && (
                <a class="button small" href="/signup">
                  Sign up
                </a>
              )}
            </nav>
            {isSignedIn && (
              // Beside the brand on phones, where one row has no room for all.
              <nav class="own" aria-label="Account">
                <Section path="/account" name="Account" at={at} />
                <Form action="/signout">
                  <button class="link" type="submit">
                    Sign out
                  </button>
                </Form>
              </nav>
            )}
          </header>
          <main id="content">{children}</main>
          <Footer links={visitor.footerLinks} />
        </body>
      </html>
    </VisitorContext.Provider>
  );
}

function Footer({ links }: { links: Visitor['footerLinks'] }) {
  const shown = footerLinks.flatMap(([key, name]) => {
    const href = links[key];
    return href === undefined ? [] : [{ name, href }];
  });
  if (shown.length === 0) return null;
  return (
    <footer class="foot">
      {shown.map(({ name, href }) => (
        <a key={name} href={href} rel="noreferrer">
          {name}
        </a>
      ))}
    </footer>
  );
}

function Section({ path, name, at }: { path: string; name: string; at: string | undefined }) {
  return (
    <a href={path} aria-current={path === at ? 'page' : undefined}>
      {name}
    </a>
  );
}

function sectionsOf({ email, isOperator }: Visitor) {
  if (email === undefined) return publicSections;
  return isOperator ? operatorSections : sections;
}

/** Of the visitor that the page is for. */
export function useLocale(): string {
  return useContext(VisitorContext)?.locale ?? 'en';
}

interface FormProps {
  action: string;
  class?: string;
  /** What was typed can be checked without being saved: see form-errors.js. */
  isChecked?: boolean;
  children: ComponentChildren;
}

/** Every form posts, and brings the token that tells it apart from another site's. */
export function Form({ action, class: name, isChecked = false, children }: FormProps) {
  const visitor = useContext(VisitorContext);
  if (!visitor) throw new Error('A form has no token outside of the layout');
  return (
    <form method="post" action={action} class={name} data-check={isChecked ? '' : undefined}>
      <input type="hidden" name="csrfToken" value={visitor.csrfToken} />
      {children}
    </form>
  );
}

export function render(page: VNode): string {
  return `<!doctype html>\n${renderToString(page)}\n`;
}
