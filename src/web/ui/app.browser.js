// Small helps; every page works without them.

import './form-errors.browser.js';

const status = document.getElementById('copied');
const shownMs = 2_000;

function copyOnClick(button) {
  const name = button.textContent;
  const source = document.getElementById(button.dataset.copy);
  const say = (words) => {
    button.textContent = words;
    if (status) status.textContent = words;
    setTimeout(() => {
      button.textContent = name;
    }, shownMs);
  };
  const mark = () => {
    getSelection().selectAllChildren(source);
    source.select?.();
    say('Selected: press Ctrl+C');
  };
  button.addEventListener('click', () => {
    // Over plain http there is no clipboard: it is left marked, ready for the keyboard.
    if (navigator.clipboard)
      navigator.clipboard.writeText(source.value ?? source.textContent).then(() => say('Copied'), mark);
    else mark();
  });
}

// As the server writes them, with the reader's own time zone instead of UTC: see day.ts.
const dayAndTime = { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' };
const { locale } = document.documentElement.dataset;
const formats = {
  bare: Intl.DateTimeFormat(locale, dayAndTime),
  zoned: Intl.DateTimeFormat(locale, { ...dayAndTime, timeZoneName: 'short' }),
  utc: Intl.DateTimeFormat(locale, { ...dayAndTime, timeZoneName: 'short', timeZone: 'UTC' }),
};

/** Moments in the reader's own time zone, with UTC to point at. Days are days of UTC, and stay so. */
export function showLocalTimes(root) {
  for (const moment of root.querySelectorAll('time[data-moment]')) showLocalTime(moment);
  for (const note of root.querySelectorAll('[data-zone]'))
    note.textContent = `Times in your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
}

export function showLocalTime(moment) {
  const at = new Date(moment.dateTime);
  moment.title = formats.utc.format(at);
  moment.textContent = formats[moment.dataset.moment || 'zoned'].format(at);
}

for (const button of document.querySelectorAll('[data-copy]')) copyOnClick(button);
showLocalTimes(document);

// Sent once: a second click while the answer is on its way would do it all again.
const sentMs = 10_000;
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.method !== 'post') return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = 'yes';
  setTimeout(() => delete form.dataset.sent, sentMs);
});
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});

// A menu that lies over the page closes like one.
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
