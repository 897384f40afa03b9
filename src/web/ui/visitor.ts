import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Brand } from '../../brand.ts';
import type { Confirmation } from '../middleware/session.ts';
import type { Config } from '../../config.ts';
import { hasRole, type Role } from '../../workspaces/members.ts';
import type { PageAccess } from '../routes.ts';

/** What every page needs to know about its visitor. */
export interface Visitor {
  /** Undefined where nobody is signed in. */
  email: string | undefined;
  /** The id of the account. Undefined where nobody is signed in. */
  account: string | undefined;
  /** Looks at the demo account, in which nothing can be changed. */
  isDemo: boolean;
  /** An operator has blocked the workspace of the page. */
  isBlocked?: boolean | undefined;
  /** Of the workspace that the page is about. */
  workspaceName?: string | undefined;
  /** Signed in, and not a member of any workspace. */
  hasNoWorkspace?: boolean | undefined;
  /** The current one first. Empty where the page does not know them. */
  workspaces: { slug: string; name: string }[];
  /** In the workspace of the page; viewer in the demo. Undefined where nobody is signed in, and where no route was found. */
  role: Role | undefined;
  /** Operators of the service get a link to its pages for them. */
  isOperator: boolean;
  /** Sent back by every form on the page. */
  csrfToken: string;
  /** URL prefix of style sheets and scripts. It changes with their content, so that they can be cached forever. */
  assets: string;
  /** Name, pictures and color of the service. */
  brand: Brand;
  /** False where only the command line creates accounts. */
  canSignUp: boolean;
  /** The OpenID provider that people may sign in with. */
  provider?: { name: string; isOnly: boolean } | undefined;
  /** What changes to the account of the signed-in user need. */
  confirmation: Confirmation;
  footerLinks: Config['footerLinks'];
  /** For dates and times, as a BCP 47 tag. */
  locale: string;
  /** That of the account. Undefined: that of the browser. */
  timeZone?: string | undefined;
  /** The message of the last action, shown once. */
  flash?: string | undefined;
  /** The path of the form that undoes the last action, shown with its message. */
  undo?: string | undefined;
}

/** `show` provides it, so that no component has to pass it on. */
export const VisitorContext = createContext<Visitor | undefined>(undefined);

export function useVisitor(): Visitor {
  const visitor = useContext(VisitorContext);
  if (!visitor) throw new Error('This component must be rendered by a page, which knows its visitor');
  return visitor;
}

/** What a control leads to needs one of these. */
type NeededAccess = Extract<PageAccess, Role | 'editor or demo'>;

/**
 * Whether the visitor may use a route with this access. Pages show only what their visitor may do; the guards refuse it anyway.
 * The demo opens the forms of editors, but saves none of them.
 */
export function useMay(): (access: NeededAccess) => boolean {
  const visitor = useContext(VisitorContext);
  return (access) => {
    if (access === 'editor or demo') return visitor?.isDemo === true || mayAs(visitor?.role, 'editor');
    return mayAs(visitor?.role, access);
  };
}

/** Shows a control to those who may use what it leads to. */
export function Needs({ access, children }: { access: NeededAccess; children: ComponentChildren }) {
  return useMay()(access) ? children : null;
}

const mayAs = (role: Role | undefined, needed: Role) => role !== undefined && hasRole(role, needed);

/** The locale of the page's visitor; English in a part of a page that is rendered alone. */
export function useLocale(): string {
  return useContext(VisitorContext)?.locale ?? 'en';
}

/** Undefined where the browser knows it better, and in a part of a page that is rendered alone. */
export function useTimeZone(): string | undefined {
  return useContext(VisitorContext)?.timeZone;
}

const maxHeaderLength = 200;
const fallback = 'en';
/** By language tag; '' if there is none. Cached because a lookup takes a tenth of a millisecond. */
const supported = new LRUCache<string, string>({ max: 1_000 });

/** The first locale of Accept-Language in which dates can be formatted. */
export function viewerLocale(ctx: Context): string {
  const { length } = ctx.get('Accept-Language');
  if (length === 0 || length > maxHeaderLength) return fallback;
  for (const tag of [ctx.acceptsLanguages()].flat()) {
    const locale = tag && supportedLocale(tag);
    if (locale) return locale;
  }
  return fallback;
}

function supportedLocale(tag: string): string {
  let locale = supported.get(tag);
  if (locale === undefined) {
    locale = findSupported(tag) ?? '';
    supported.set(tag, locale);
  }
  return locale;
}

/** Without extensions, which select other calendars and digits: there are too many combinations to cache formats for. */
function findSupported(tag: string): string | undefined {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(new Intl.Locale(tag).baseName)[0];
  } catch {
    // Not a language tag.
    return undefined;
  }
}
