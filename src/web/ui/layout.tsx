import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { FooterLink } from '../../http/link-config.ts';
import { BrandLink } from './brand-link.tsx';
import type { FormState } from './controls.tsx';
import { preloadedFont } from './fonts.ts';
import { IconTile } from './empty.tsx';
import { Icon, type IconName } from './icons.tsx';
import { accountSection, navigation, newWorkspace, type Section, withNext } from './sections.ts';
import { Switcher } from './switcher.tsx';
import { momentFormat } from './time.tsx';
import { hasRole } from '../../workspaces/members.ts';
import { useVisitor, type Visitor, VisitorContext } from './visitor.ts';

interface LayoutProps {
  title: string;
  /** Path of the current section in the navigation. */
  at?: string;
  /** The folders of `src/web` whose style sheets the page needs beside the shared one. */
  styles?: string[];
  /** Where signing in or up from the header returns to. */
  next?: string | undefined;
  /** In the footer, before the links of the operator. Without both, there is none. */
  footer?: ComponentChildren;
  children: ComponentChildren;
}

const footerLinks: [FooterLink, string][] = [
  ['privacy', 'Privacy'],
  ['imprint', 'Imprint'],
  ['terms', 'Terms'],
  ['contact', 'Contact'],
  ['source', 'Source code'],
];

export function Layout({ title, at, styles = [], next, footer, children }: LayoutProps) {
  const visitor = useVisitor();
  const isSignedIn = visitor.email !== undefined;
  return (
    // app.browser.js formats times with the data attributes, and forgets what another account has left in the tab.
    <html
      lang="en"
      data-locale={visitor.locale}
      data-time-format={JSON.stringify(momentFormat)}
      data-time-zone={visitor.timeZone}
      data-account={visitor.account}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{windowTitle(title, visitor)}</title>
        <link
          rel="icon"
          href={visitor.brand.icon?.path ?? `${visitor.assets}/ui/icon.svg`}
          type={visitor.brand.icon?.mediaType ?? 'image/svg+xml'}
        />
        <link
          rel="preload"
          href={`${visitor.assets}/${preloadedFont}`}
          as="font"
          type="font/woff2"
          crossorigin="anonymous"
        />
        {['ui', ...styles].map((folder) => (
          <link key={folder} rel="stylesheet" href={`${visitor.assets}/${folder}.css`} />
        ))}
        <script type="module" src={`${visitor.assets}/ui/app.browser.js`} />
      </head>
      <body class={isSignedIn ? 'app' : 'site'}>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <BrandLink />
          {visitor.workspaces.length > 1 && <Switcher workspaces={visitor.workspaces} />}
          <nav class="sections" aria-label="Main">
            {sectionsOf(visitor).map((section) => (
              <SectionLink
                key={section.path}
                {...section}
                path={section.path === '/signin' ? withNext(section.path, next) : section.path}
                isCurrent={section.path === at}
              />
            ))}
            {!isSignedIn && visitor.canSignUp && at !== '/signup' && (
              <a
                class={at === '/signin' ? 'button small quiet' : 'button small'}
                href={withNext('/signup', next)}
              >
                Sign up
              </a>
            )}
          </nav>
          {isSignedIn && !visitor.isDemo && (
            <nav class="own" aria-label="Account">
              <p class="who" title={visitor.email}>
                {visitor.email}
              </p>
              <SectionLink {...accountSection} isCurrent={accountSection.path === at} />
              <Form action="/signout">
                <button class="link" type="submit">
                  <Icon name="log-out" />
                  Sign out
                </button>
              </Form>
            </nav>
          )}
        </header>
        <main id="content">
          {visitor.isDemo && <DemoBar />}
          {visitor.isBlocked && (
            <Notice kind="bad">
              This workspace is blocked: its codes, also new ones, do not work, and its API keys are refused.
              Contact the operator of this service.
            </Notice>
          )}
          {children}
        </main>
        <Footer links={visitor.footerLinks}>{footer}</Footer>
      </body>
    </html>
  );
}

/** Somebody with several workspaces can tell their tabs apart. */
function windowTitle(title: string, { workspaces, workspaceName, brand }: Visitor): string {
  const workspace = workspaces.length > 1 ? workspaceName : undefined;
  return [...new Set([title, workspace ?? brand.name, brand.name])].join(' · ');
}

/** On every page of the demo: says what it is, and links to sign-up. */
function DemoBar() {
  const { canSignUp } = useVisitor();
  return (
    <aside class="demo-bar" aria-label="Demo">
      <p>
        <strong>Live demo.</strong> Look around: nothing here can be changed.
      </p>
      {canSignUp && (
        <a class="button quiet small" href="/signup">
          Make your own
        </a>
      )}
      <Form action="/demo/leave">
        <button class="ghost small" type="submit">
          Leave the demo
        </button>
      </Form>
    </aside>
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
      {back && <Back href={back[0]}>{back[1]}</Back>}
      {heading ?? <h1>{title}</h1>}
      <Outcome form={form} />
      {children}
    </Layout>
  );
}

/** The link to the page above this one. */
export function Back({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a class="back" href={href}>
      <Icon name="arrow-left" />
      {children}
    </a>
  );
}

interface NarrowPageProps extends PageProps {
  isDanger?: boolean;
  /** Above the heading, where the page is a message. */
  icon?: IconName;
}

/** A page with a single card, such as the sign-in. */
export function NarrowPage({ title, heading, form, isDanger, icon, children, ...layout }: NarrowPageProps) {
  return (
    <Layout {...layout} title={titleOf(title, form)}>
      <section class={`card narrow${isDanger ? ' danger' : ''}${icon ? ' message' : ''}`}>
        {icon && <IconTile name={icon} />}
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
  keepText?: string;
  children: ComponentChildren;
}

/** Asks before something is deleted for good. */
export function Confirmation({
  title,
  at,
  action,
  button,
  keep,
  keepText = 'Keep it',
  children,
}: ConfirmationProps) {
  return (
    <NarrowPage title={title} at={at} isDanger>
      <p>{children}</p>
      <Form action={action} class="row">
        <button type="submit" class="danger">
          {button}
        </button>
        <a class="button quiet" href={keep} data-close autofocus>
          {keepText}
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
      {flash && (
        <Notice kind="good" isToast>
          {flash}
          <UndoForm />
        </Notice>
      )}
      {form?.error && (
        <Notice kind="bad" isFocused>
          {form.error}
        </Notice>
      )}
    </>
  );
}

/** For an action that can be undone, beside its message. */
export function UndoForm() {
  const { undo } = useVisitor();
  if (undo === undefined) return null;
  return (
    <>
      {' '}
      <Form action={undo} class="undo">
        <button type="submit" class="button small quiet">
          Undo
        </button>
      </Form>
    </>
  );
}

interface NoticeProps {
  kind: 'good' | 'bad';
  /** Screen readers start here when a form comes back with errors. */
  isFocused?: boolean;
  /** Over the page, until toasts.browser.js or the visitor closes it. Without scripts, it is a part of the page. */
  isToast?: boolean;
  children: ComponentChildren;
}

/** The outcome of the last action. Screen readers read it when the page opens. */
export function Notice({ kind, isFocused = false, isToast = false, children }: NoticeProps) {
  const focus = isFocused ? { tabIndex: -1, autofocus: true } : {};
  return (
    <div
      class={`notice ${kind}${isToast ? ' toast' : ''}`}
      role={kind === 'bad' ? 'alert' : 'status'}
      {...focus}
    >
      {children}
    </div>
  );
}

interface FooterProps {
  links: Visitor['footerLinks'];
  children: ComponentChildren;
}

function Footer({ links, children }: FooterProps) {
  const shown = footerLinks.flatMap(([key, name]) => {
    const href = links[key];
    return href === undefined ? [] : [{ name, href }];
  });
  if (shown.length === 0 && !children) return null;
  return (
    <footer class="foot">
      {children}
      {shown.map(({ name, href }) => (
        <a key={name} href={href} rel="noreferrer">
          {name}
        </a>
      ))}
    </footer>
  );
}

function SectionLink({ path, name, icon, isCurrent }: Section & { isCurrent: boolean }) {
  return (
    <a href={path} aria-current={isCurrent ? 'page' : undefined}>
      {icon && <Icon name={icon} />}
      {name}
    </a>
  );
}

function sectionsOf({ email, isDemo, isOperator, role, hasNoWorkspace }: Visitor): Section[] {
  if (email === undefined) return navigation.visitor;
  if (isDemo) return navigation.demo;
  const sections = isOperator ? navigation.operator : navigation.user;
  if (hasNoWorkspace) return [newWorkspace, ...sections.filter(({ isOfWorkspace }) => !isOfWorkspace)];
  return sections.filter(({ needs }) => !needs || !role || hasRole(role, needs));
}

interface FormProps {
  action: string;
  /** For buttons that are elsewhere on the page. */
  id?: string;
  class?: string;
  /** Lets form-errors.browser.js validate the input without saving it. */
  isChecked?: boolean;
  /** Whether it has a file. The server accepts that on few pages. */
  hasFile?: boolean;
  /** For a long form that is the whole page: app.browser.js focuses its first field, except on phones. */
  focusesFirst?: boolean;
  children?: ComponentChildren;
}

/** Every form posts with a CSRF token. */
export function Form(props: FormProps) {
  const {
    action,
    id,
    class: name,
    isChecked = false,
    hasFile = false,
    focusesFirst = false,
    children,
  } = props;
  const { csrfToken } = useVisitor();
  return (
    <form
      method="post"
      action={action}
      id={id}
      class={name}
      data-check={isChecked ? '' : undefined}
      data-focus-first={focusesFirst ? '' : undefined}
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
