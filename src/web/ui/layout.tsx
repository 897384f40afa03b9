import { type ComponentChildren, createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { renderToString } from 'preact-render-to-string';
import type { Config } from '../../config.ts';
import type { FooterLink } from '../../http/link-config.ts';
import { momentFormat } from './day.ts';
import { accountSection, navigation } from './sections.ts';

/** What every page needs to know about its visitor. */
export interface Visitor {
  /** Undefined where nobody is signed in. */
  email: string | undefined;
  /** Operators of the service get a link to its pages for them. */
  isOperator: boolean;
  /** Sent back by every form on the page. */
  csrfToken: string;
  /** URL prefix of style sheets and scripts. It changes with their content, so that they can be cached forever. */
  assets: string;
  /** False where only the command line creates accounts. */
  canSignUp: boolean;
  footerLinks: Config['footerLinks'];
  /** For dates and times, as a BCP 47 tag. */
  locale: string;
}

interface LayoutProps {
  title: string;
  visitor: Visitor;
  /** Path of the current section in the navigation. */
  at?: string;
  /** The folders of `src/web` whose style sheets the page needs beside the shared one. */
  styles?: string[];
  children: ComponentChildren;
}

/** Gives forms the CSRF token without passing it through every component. */
const VisitorContext = createContext<Visitor | undefined>(undefined);

const footerLinks: [FooterLink, string][] = [
  ['privacy', 'Privacy'],
  ['imprint', 'Imprint'],
  ['terms', 'Terms'],
  ['contact', 'Contact'],
  ['source', 'Source code'],
];

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
              // A nav of its own, because on phones it moves up beside the brand.
              <nav class="own" aria-label="Account">
                <Section {...accountSection} at={at} />
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
  if (email === undefined) return navigation.visitor;
  return isOperator ? navigation.operator : navigation.user;
}

/** The locale of the page's visitor. */
export function useLocale(): string {
  return useContext(VisitorContext)?.locale ?? 'en';
}

interface FormProps {
  action: string;
  class?: string;
  /** Lets form-errors.browser.js validate the input without saving it. */
  isChecked?: boolean;
  /** Whether it has a file. The server accepts that on few pages. */
  hasFile?: boolean;
  children: ComponentChildren;
}

/** Every form posts with a CSRF token. */
export function Form({ action, class: name, isChecked = false, hasFile = false, children }: FormProps) {
  const visitor = useContext(VisitorContext);
  if (!visitor) throw new Error('Form must be rendered inside Layout, which has the CSRF token');
  return (
    <form
      method="post"
      action={action}
      class={name}
      data-check={isChecked ? '' : undefined}
      enctype={hasFile ? 'multipart/form-data' : undefined}
    >
      <input type="hidden" name="csrfToken" value={visitor.csrfToken} />
      {children}
    </form>
  );
}

export function render(page: VNode): string {
  return `<!doctype html>\n${renderToString(page)}\n`;
}
