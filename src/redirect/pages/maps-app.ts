/** Which maps app opens a place: each has its own link format. */
export type MapsApp = 'android' | 'apple' | 'none';

const maxUserAgentLength = 500;
/** An iPad identifies itself as a Macintosh. */
const appleDevices = ['iphone', 'ipad', 'ipod', 'macintosh'];

export function mapsAppOf(userAgent: string | undefined): MapsApp {
  const text = (userAgent ?? '').slice(0, maxUserAgentLength).toLowerCase();
  if (text.includes('android')) return 'android';
  return appleDevices.some((device) => text.includes(device)) ? 'apple' : 'none';
}
