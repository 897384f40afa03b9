import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { FooterLink } from '../../http/link-config.ts';
import type { FormState } from './controls.tsx';
import { accountSection, navigation } from './sections.ts';
import { momentFormat } from './time.tsx';
import { useVisitor, type Visitor, VisitorContext } from './visitor.ts';

interface LayoutProps {
  title: string;
  /** Path of the current section in the navigation. */
  at?: string;
  /** The folders of `src/web` whose style sheets the page needs beside the shared one. */
  styles?: string[];
  children: ComponentChildren;
}

const footerLinks: [FooterLink, string][] = [
  ['privacy', 'Privacy'],
  ['imprint', 'Imprint'],
  ['terms', 'Terms'],
  ['contact', 'Contact'],
  ['source', 'Source code'],
];

export function Layout({ title, at, styles = [], children }: LayoutProps) {
  const visitor = useVisitor();
  const isSignedIn = visitor.email !== undefined;
  return (
    // app.browser.js formats times with the two data attributes.
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
  );
}

interface PageProps extends LayoutProps {
  /** The link above the heading. */
  back?: [href: string, text: ComponentChildren];
  /** Instead of the title. */
  heading?: ComponentChildren;
  /** The form of the page, whose error is shown below the heading. */
  form?: FormState | undefined;
}

/** A page with its heading and what came of the last action. */
export function Page({ title, back, heading, form, children, ...layout }: PageProps) {
  return (
    <Layout {...layout} title={titleOf(title, form)}>
      {back && (
        <a class="back" href={back[0]}>
          {back[1]}
        </a>
      )}
      {heading ?? <h1>{title}</h1>}
      <Outcome form={form} />
      {children}
    </Layout>
  );
}

interface NarrowPageProps extends PageProps {
  isDanger?: boolean;
}

/** A page with a single card, such as the sign-in. */
export function NarrowPage({ title, heading, form, isDanger, children, ...layout }: NarrowPageProps) {
  return (
    <Layout {...layout} title={titleOf(title, form)}>
      <section class={isDanger ? 'card narrow danger' : 'card narrow'}>
        {heading ?? <h1>{title}</h1>}
        <Outcome form={form} />
        {children}
      </section>
    </Layout>
  );
}

interface ConfirmationProps {
  title: string;
  at: string;
  action: string;
  button: string;
  /** The page of the button that changes nothing. */
  keep: string;
  children: ComponentChildren;
}

/** Asks before something is deleted for good. */
export function Confirmation({ title, at, action, button, keep, children }: ConfirmationProps) {
  return (
    <NarrowPage title={title} at={at} isDanger>
      <p>{children}</p>
      <Form action={action} class="row">
        <button type="submit" class="danger">
          {button}
        </button>
        <a class="button quiet" href={keep}>
          Keep it
        </a>
      </Form>
    </NarrowPage>
  );
}

function titleOf(title: string, form: FormState | undefined): string {
  return form && (form.error || form.errors.length > 0) ? `Error: ${title}` : title;
}

/** The message of the last action, or why the form was not accepted. */
export function Outcome({ form }: { form?: FormState | undefined }) {
  const { flash } = useVisitor();
  return (
    <>
      {flash && <Notice kind="good">{flash}</Notice>}
      {form?.error && (
        <Notice kind="bad" isFocused>
          {form.error}
        </Notice>
      )}
    </>
  );
}

interface NoticeProps {
  kind: 'good' | 'bad';
  /** Screen readers start here when a form comes back with errors. */
  isFocused?: boolean;
  children: ComponentChildren;
}

/** The outcome of the last action. Screen readers read it when the page opens. */
export function Notice({ kind, isFocused = false, children }: NoticeProps) {
  const focus = isFocused ? { tabIndex: -1, autofocus: true } : {};
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'} {...focus}>
      {children}
    </div>
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
  const { csrfToken } = useVisitor();
  return (
    <form
      method="post"
      action={action}
      class={name}
      data-check={isChecked ? '' : undefined}
      enctype={hasFile ? 'multipart/form-data' : undefined}
    >
      <input type="hidden" name="csrfToken" value={csrfToken} />
      {children}
    </form>
  );
}

/** The HTML of a page for its visitor. */
export function render(page: VNode, visitor?: Visitor): string {
  const provided = <VisitorContext.Provider value={visitor}>{page}</VisitorContext.Provider>;
  return `<!doctype html>\n${renderToString(provided)}\n`;
}
