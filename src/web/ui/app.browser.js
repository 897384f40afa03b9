// Enhancements for every page. All pages also work without scripts.

import { announce, prepareAnnouncements } from './announce.browser.js';
import './dialogs.browser.js';
import './form-errors.browser.js';
import './tab-key.browser.js';
import './toasts.browser.js';

// Few pages have these. A picture is cropped before it is shown, so that script is first.
if (document.querySelector('.drop')) void import('./crop.browser.js').then(() => import('./drop.browser.js'));
if (document.querySelector('.color')) void import('./colors.browser.js');
if (document.querySelector('.secret')) void import('./secrets.browser.js');
if (document.querySelector('.presets')) void import('./day-presets.browser.js');
if (document.querySelector('.range')) void import('./range.browser.js');

const copiedMs = 2_000;

function copyOnClick(button) {
  const name = button.textContent;
  const source = document.getElementById(button.dataset.copy);
  const confirm = (text) => {
    button.textContent = text;
    announce(text);
    setTimeout(() => {
      button.textContent = name;
    }, copiedMs);
  };
  const select = () => {
    getSelection().selectAllChildren(source);
    source.select?.();
    confirm('Selected: press Ctrl+C');
  };
  button.addEventListener('click', () => {
    // Browsers have no clipboard API over plain http.
    if (navigator.clipboard)
      navigator.clipboard.writeText(source.value ?? source.textContent).then(() => confirm('Copied'), select);
    else select();
  });
}

// Without a zone of the account, the server writes times in UTC; this replaces them by the same format in the browser's zone.
const { locale, timeFormat, timeZone = browserZone() } = document.documentElement.dataset;
const dayAndTime = JSON.parse(timeFormat);
const { hour: _hour, minute: _minute, ...dayOnly } = dayAndTime;
const formats = {
  bare: Intl.DateTimeFormat(locale, { ...dayAndTime, timeZone }),
  day: Intl.DateTimeFormat(locale, { ...dayOnly, timeZone }),
  zoned: Intl.DateTimeFormat(locale, { ...dayAndTime, timeZoneName: 'short', timeZone }),
  utc: Intl.DateTimeFormat(locale, { ...dayAndTime, timeZoneName: 'short', timeZone: 'UTC' }),
};

function browserZone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The tooltip has the time in UTC. Days without a time are days in UTC, and stay as they are. */
export function showLocalTimes(root) {
  for (const moment of root.querySelectorAll('time[data-moment]')) {
    const at = new Date(moment.dateTime);
    moment.title = formats.utc.format(at);
    moment.textContent = formats[moment.dataset.moment].format(at);
  }
  for (const note of root.querySelectorAll('[data-zone]'))
    note.textContent = `Times in your time zone, ${timeZone}`;
}

const copyButtons = document.querySelectorAll('[data-copy]');
for (const button of copyButtons) copyOnClick(button);
if (copyButtons.length > 0) prepareAnnouncements();
showLocalTimes(document);

// Not on phones, where it would open the keyboard, and not where an error or a link to a field has the focus.
const firstForm = document.querySelector('[data-focus-first]');
const isFree = !document.querySelector('[autofocus]') && location.hash === '';
if (firstForm && isFree && document.activeElement === document.body && matchMedia('(pointer: fine)').matches)
  firstForm.querySelector('input:not([type=hidden]), select, textarea')?.focus({ preventScroll: true });

// A second click while the first request is under way must not send the form again.
const resendMs = 10_000;
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.method !== 'post') return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = 'yes';
  setTimeout(() => delete form.dataset.sent, resendMs);
});
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});

// A click outside and the Escape key close an open menu.
const openMenu = () => document.querySelector('.menu[open]');
document.addEventListener('click', ({ target }) => {
  const menu = openMenu();
  if (menu && !menu.contains(target)) menu.open = false;
});
document.addEventListener('keydown', ({ key }) => {
  const menu = openMenu();
  if (key !== 'Escape' || !menu) return;
  menu.open = false;
  menu.querySelector('summary').focus();
});
