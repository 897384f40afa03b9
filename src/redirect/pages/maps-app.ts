/** Which app opens a place: each knows links of its own. */
export type MapsApp = 'android' | 'apple' | 'none';

const longestUserAgent = 500;
/** An iPad says that it is a Macintosh. */
const appleDevices = ['iphone', 'ipad', 'ipod', 'macintosh'];

export function mapsAppOf(userAgent: string | undefined): MapsApp {
  const text = (userAgent ?? '').slice(0, longestUserAgent).toLowerCase();
  if (text.includes('android')) return 'android';
  return appleDevices.some((device) => text.includes(device)) ? 'apple' : 'none';
}
