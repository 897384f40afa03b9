import { UAParser } from 'ua-parser-js';

const maxHeaderLength = 500;
const maxNameLength = 40;

/** Browser and system, such as "Firefox on Windows", for the owner's list of sessions. */
export function describeDevice(userAgent: string): string | undefined {
  const { browser, os } = new UAParser(userAgent.slice(0, maxHeaderLength)).getResult();
  const names = [browser.name, os.name].map((name) => name?.slice(0, maxNameLength));
  return names.filter(Boolean).join(' on ') || undefined;
}
