import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { closeAtEndOfRun } from './end-of-run.ts';
import { findProgram } from './find-program.ts';

/** The first is the same engine without windows, and uses a third less processor time. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
let opened: Promise<Browser | undefined> | undefined;

/** One Chromium for the whole run, opened when it is first asked for. Undefined where there is none. */
export function openBrowser(): Promise<Browser | undefined> {
  opened ??= launch();
  return opened;
}

export const iPhone = {
  viewport: { width: 390, height: 664 },
  deviceScaleFactor: 1,
  isMobile: true,
  hasTouch: true,
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
} satisfies BrowserContextOptions;

export const narrowPhone = { ...iPhone, viewport: { width: 320, height: 640 } };

/** The size of a window: a page is not loaded again to be seen in another one. */
export const desktop = { width: 1280, height: 900 };

export const androidPhone: BrowserContextOptions = {
  viewport: { width: 412, height: 839 },
  deviceScaleFactor: 1,
  isMobile: true,
  hasTouch: true,
  userAgent:
    'Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36',
};

/**
 * The first two are the list below the address bar, which a Chromium with windows draws as two pages in a process of their
 * own for each window: most of the processor time of the tests. The rest are those that Playwright turns off, since only the
 * last list counts.
 */
const featuresOff = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

async function launch(): Promise<Browser | undefined> {
  const executablePath = findProgram(...programs);
  if (!executablePath) {
    console.log(`No browser: the tests that need one are skipped. Put ${programs.join(' or ')} on the PATH.`);
    return undefined;
  }
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      `--disable-features=${featuresOff.join(',')}`,
    ],
  });
  closeAtEndOfRun(() => browser.close());
  return browser;
}
