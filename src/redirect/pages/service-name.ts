import { parseUrl } from '../../http/parse-url.ts';
import type { ServiceIcon } from './icons.ts';

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

const icons: Partial<Record<ServiceIcon, string[]>> = {
  code: ['GitHub', 'GitLab'],
  contact: ['Bluesky', 'Facebook', 'LinkedIn', 'Reddit', 'Threads', 'X'],
  music: ['SoundCloud', 'Spotify'],
  photo: ['Instagram', 'Pinterest', 'Snapchat'],
  sms: ['Discord', 'Telegram', 'WhatsApp'],
  video: ['TikTok', 'Twitch', 'Vimeo', 'YouTube'],
};
const iconsByName = new Map(
  Object.entries(icons).flatMap(([icon, names]) => names.map((name) => [name, icon as ServiceIcon] as const)),
);

export function serviceIcon(href: string): ServiceIcon {
  const service = serviceAt(parseUrl(href)?.host ?? '');
  return (service && iconsByName.get(service.name)) ?? 'link';
}

function serviceAt(host: string): Service | undefined {
  return services.get(host.replace(/^(?:www|m|mobile)\./, ''));
}

/** "Instagram · you" for a known service, else the host. Uses nothing but the address. */
export function serviceName(href: string): string {
  const { host, pathname } = parseUrl(href) ?? { host: '', pathname: '' };
  const service = serviceAt(host);
  if (!service) return host.replace(/^www\./, '') || href;
  const user = service.user?.exec(pathname)?.[1];
  return user && !ownPages.test(user) ? `${service.name} · ${user}` : service.name;
}
