import type { Context, Middleware } from 'koa';
import { SetupError } from '../../errors.ts';
import { isForMembers, type Route } from '../routes.ts';
import { redirect } from '../ui/page.ts';

const prefixed = /^\/w\/([a-z0-9][a-z0-9-]{0,39})(\/[\w-]+|\/?$)/;

/**
 * Pages of a workspace are below `/w/<slug>`, so that two tabs can show two workspaces and a link opens the right one.
 * Features declare their routes and link to each other without this prefix: it is taken off requests and put in front of
 * links. Only what is for members alone has such an address, so nothing else gets a second one.
 */
export function workspaceAddresses(routes: Route[]): Middleware {
  const sections = sectionsForMembers(routes);
  const followed = `(?=(?:${[...sections].map((path) => path.slice(1)).join('|')})(?:[/?#"]|$))`;
  const link = new RegExp(` (href|src|action|formaction)="/${followed}`, 'g');
  const location = new RegExp(`^/${followed}`);

  return async (ctx, next) => {
    const [, slug, section = ''] = prefixed.exec(ctx.path) ?? [];
    if (slug !== undefined && section.length < 2) return redirect(ctx, `/w/${slug}/codes`);
    if (slug !== undefined && sections.has(section)) {
      ctx.state['slug'] = slug;
      linkTo(ctx, slug);
      ctx.path = ctx.path.slice(`/w/${slug}`.length);
    }
    await next();
    const linked = ctx.state['linkedSlug'] as string | undefined;
    if (linked === undefined) return;
    const target = ctx.response.get('Location');
    if (target) ctx.set('Location', target.replace(location, `/w/${linked}/`));
    if (typeof ctx.body === 'string' && ctx.response.is('html'))
      ctx.body = ctx.body.replaceAll(link, (_link, name: string) => ` ${name}="/w/${linked}/`);
  };
}

/** The workspace that the address of the request names. */
export const slugOf = (ctx: Context) => ctx.state['slug'] as string | undefined;

/** Lets the links of the response lead to this workspace. */
export function linkTo(ctx: Context, slug: string): void {
  ctx.state['linkedSlug'] = slug;
}

/** Somebody follows a link or types an address: not a script, an image or a program. */
export const isNavigation = (ctx: Context) =>
  ctx.method === 'GET' && ctx.get('Sec-Fetch-Mode') === 'navigate';

function sectionsForMembers(routes: Route[]): Set<string> {
  const sectionOf = ({ path }: Route) => /^\/[^/]*/.exec(path)?.[0] ?? '';
  const sections = new Set(routes.filter(({ access }) => isForMembers(access)).map(sectionOf));
  const mixed = routes.find((route) => sections.has(sectionOf(route)) && !isForMembers(route.access));
  if (mixed)
    throw new SetupError(`${sectionOf(mixed)} is for members of a workspace, but ${mixed.path} is not.`);
  return sections;
}
