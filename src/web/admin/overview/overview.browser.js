// Loads the figures again every 10 seconds while the button is pressed. Off at first: a page that changes by itself
// disturbs reading.

import { announce, prepareAnnouncements } from '../../ui/announce.browser.js';
import { showLocalTimes } from '../../ui/app.browser.js';

const everyMs = 10_000;
const button = document.getElementById('live');
let timer;

async function refresh() {
  const response = await fetch(location.pathname, { headers: { Accept: 'text/html' } });
  if (!response.ok) throw new Error(String(response.status));
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  const figures = fresh.getElementById('overview');
  showLocalTimes(figures);
  const opened = document.querySelectorAll('#overview details[open]').length > 0;
  for (const details of opened ? figures.querySelectorAll('details') : []) details.open = true;
  document.getElementById('overview').replaceWith(figures);
}

function stop(text) {
  clearInterval(timer);
  timer = undefined;
  button.ariaPressed = 'false';
  announce(text);
}

button.hidden = false;
prepareAnnouncements();
button.addEventListener('click', () => {
  if (timer) return stop('The figures are no longer refreshed.');
  button.ariaPressed = 'true';
  announce('The figures are refreshed every 10 seconds.');
  const load = () =>
    refresh().catch(() => stop('The figures could not be loaded. They are no longer refreshed.'));
  timer = setInterval(() => {
    // Replacing the figures would take the focus away from a link in them.
    if (!document.hidden && !document.getElementById('overview').contains(document.activeElement))
      void load();
  }, everyMs);
  void load();
});
