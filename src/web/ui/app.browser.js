// Enhancements for every page. All pages also work without scripts.

import { announce, prepareAnnouncements } from './announce.browser.js';
import './form-errors.browser.js';

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

// The server writes times in UTC; this replaces them by the same format in the reader's time zone.
const { locale, timeFormat } = document.documentElement.dataset;
const dayAndTime = JSON.parse(timeFormat);
const formats = {
  bare: Intl.DateTimeFormat(locale, dayAndTime),
  zoned: Intl.DateTimeFormat(locale, { ...dayAndTime, timeZoneName: 'short' }),
  utc: Intl.DateTimeFormat(locale, { ...dayAndTime, timeZoneName: 'short', timeZone: 'UTC' }),
};

/** The tooltip has the time in UTC. Days without a time are days in UTC, and stay as they are. */
export function showLocalTimes(root) {
  for (const moment of root.querySelectorAll('time[data-moment]')) {
    const at = new Date(moment.dateTime);
    moment.title = formats.utc.format(at);
    moment.textContent = formats[moment.dataset.moment || 'zoned'].format(at);
  }
  for (const note of root.querySelectorAll('[data-zone]'))
    note.textContent = `Times in your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
}

const copyButtons = document.querySelectorAll('[data-copy]');
for (const button of copyButtons) copyOnClick(button);
if (copyButtons.length > 0) prepareAnnouncements();
showLocalTimes(document);

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
