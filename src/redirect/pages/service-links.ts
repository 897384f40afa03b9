import { type CodeContent, contentKind } from '../../codes/content/content-types.ts';
import type { Icon, LinkLine } from '../../codes/content/content-type.ts';
import { parseUrl } from '../../http/parse-url.ts';
import { html, isLinkable, type Markup, storedText, undirected } from './html.ts';

/** A button for each link; other lines stay between them as text. */
export function linkList(lines: LinkLine[]): Markup {
  const shown = lines
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, href, label }) =>
      isLinkable(href) ? { href, name: serviceName(href), label: undirected(label ?? '').trim() } : { text },
    );
  const names = shown.map(({ name }) => name);
  const items = shown.map(({ text, href, name, label }) => {
    if (href === undefined) return storedText(text);
    // A label says nothing about where the link leads, so the address is shown with it.
    const isAmbiguous = label !== '' || names.indexOf(name) !== names.lastIndexOf(name);
    return addressButton(href, label || name, isAmbiguous);
  });
  return html`<ul class="links">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** Screen readers read the address after the name; it is visible if two buttons have the same name. */
function addressButton(href: string, name: string, isAmbiguous: boolean): Markup {
  const address = isAmbiguous
    ? html`<small dir="ltr">${href.replace(/^https?:\/\//, '')}</small>`
    : html`<span class="unseen">${href}</span>`;
  return html`<a class="button" href="${href}" title="${href}" rel="noopener noreferrer nofollow">${icon(serviceIcon(href))}<span><bdi>${name}</bdi> ${address}</span></a>`;
}

/** What a service is for, rather than its trademark. */
const ownIcons = {
  code: ['M8 6l-6 6 6 6M16 6l6 6-6 6'],
  music: ['M9 18V5l11-2v13', [6, 18, 3], [17, 16, 3]],
  photo: ['M3 8h4l2-3h6l2 3h4v12H3z', [12, 13, 4]],
  video: ['M3 5h18v14H3zM10 9v6l5-3z'],
  notice: [[12, 12, 9], 'M12 7v6M12 16.5h.01'],
} satisfies Record<string, Icon>;
type IconName = keyof typeof ownIcons | CodeContent['kind'];

/** The text beside an icon says the same. */
export function icon(name: IconName): Markup {
  const shapes: Icon =
    name in ownIcons
      ? ownIcons[name as keyof typeof ownIcons]
      : contentKind(name as CodeContent['kind']).icon;
  const drawn = shapes.map((shape) =>
    typeof shape === 'string'
      ? html`<path d="${shape}"/>`
      : html`<circle cx="${shape[0]}" cy="${shape[1]}" r="${shape[2]}"/>`,
  );
  return html`<svg viewBox="0 0 24 24" aria-hidden="true">${drawn}</svg>`;
}

interface Service {
  name: string;
  /** Matches paths that consist of a user name alone. */
  user?: RegExp;
}

const plain = /^\/([\w.-]{2,40})\/?$/;
const afterAt = /^\/@([\w.-]{2,40})\/?$/;

/** By exact host, without `www.` or `m.`, so that "instagram.com.evil.test" does not match. */
const services = new Map<string, Service>([
  ['bsky.app', { name: 'Bluesky', user: /^\/profile\/([\w.-]{2,60})\/?$/ }],
  ['discord.com', { name: 'Discord' }],
  ['discord.gg', { name: 'Discord' }],
  ['facebook.com', { name: 'Facebook', user: plain }],
  ['fb.com', { name: 'Facebook', user: plain }],
  ['github.com', { name: 'GitHub', user: plain }],
  ['gitlab.com', { name: 'GitLab', user: plain }],
  ['instagram.com', { name: 'Instagram', user: plain }],
  ['linkedin.com', { name: 'LinkedIn', user: /^\/(?:in|company)\/([\w.-]{2,100})\/?$/ }],
  ['linktr.ee', { name: 'Linktree', user: plain }],
  ['medium.com', { name: 'Medium', user: afterAt }],
  ['open.spotify.com', { name: 'Spotify' }],
  ['patreon.com', { name: 'Patreon', user: plain }],
  ['pinterest.com', { name: 'Pinterest', user: plain }],
  ['reddit.com', { name: 'Reddit', user: /^\/((?:r|u|user)\/[\w-]{2,40})\/?$/ }],
  ['snapchat.com', { name: 'Snapchat', user: /^\/(?:add\/|@)([\w.-]{2,40})\/?$/ }],
  ['soundcloud.com', { name: 'SoundCloud', user: plain }],
  ['t.me', { name: 'Telegram', user: plain }],
  ['threads.com', { name: 'Threads', user: afterAt }],
  ['threads.net', { name: 'Threads', user: afterAt }],
  ['tiktok.com', { name: 'TikTok', user: afterAt }],
  ['twitch.tv', { name: 'Twitch', user: plain }],
  ['twitter.com', { name: 'X', user: plain }],
  ['vimeo.com', { name: 'Vimeo' }],
  ['wa.me', { name: 'WhatsApp' }],
  ['whatsapp.com', { name: 'WhatsApp' }],
  ['x.com', { name: 'X', user: plain }],
  ['youtu.be', { name: 'YouTube' }],
  ['youtube.com', { name: 'YouTube', user: afterAt }],
]);

/** Paths of the services themselves that look like user names. */
const ownPages =
  /^(?:about|download|events|explore|features|feed|groups|hashtag|help|home|jobs|live|login|pages|pricing|privacy|reels?|search|settings|share|shop|signup|stories|terms|watch|\w+\.php)$/i;

const servicesByIcon: Partial<Record<IconName, string[]>> = {
  code: ['GitHub', 'GitLab'],
  contact: ['Bluesky', 'Facebook', 'LinkedIn', 'Reddit', 'Threads', 'X'],
  music: ['SoundCloud', 'Spotify'],
  photo: ['Instagram', 'Pinterest', 'Snapchat'],
  sms: ['Discord', 'Telegram', 'WhatsApp'],
  video: ['TikTok', 'Twitch', 'Vimeo', 'YouTube'],
};
const iconsByName = new Map(
  Object.entries(servicesByIcon).flatMap(([name, members]) =>
    members.map((service) => [service, name as IconName] as const),
  ),
);

function serviceIcon(href: string): IconName {
  const service = serviceAt(parseUrl(href)?.host ?? '');
  return (service && iconsByName.get(service.name)) ?? 'link';
}

function serviceAt(host: string): Service | undefined {
  return services.get(host.replace(/^(?:www|m|mobile)\./, ''));
}

/** "Instagram · you" for a known service, else the host. Uses nothing but the address. */
function serviceName(href: string): string {
  const { host, pathname } = parseUrl(href) ?? { host: '', pathname: '' };
  const service = serviceAt(host);
  if (!service) return host.replace(/^www\./, '') || href;
  const user = service.user?.exec(pathname)?.[1];
  return user && !ownPages.test(user) ? `${service.name} · ${user}` : service.name;
}
