// Small helps; every page works without them.

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

/** Moments in the reader's own time. */
export function showLocalTimes(root) {
  for (const moment of root.querySelectorAll('time[datetime]')) {
    moment.title = moment.textContent;
    moment.textContent = localTime(moment.dateTime);
  }
  for (const note of root.querySelectorAll('[data-zone]'))
    note.textContent = `Times in your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
}

export function localTime(at) {
  return new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
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
