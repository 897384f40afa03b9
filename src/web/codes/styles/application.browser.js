// Shows how far a template is applied, until it is done.

import { announce, prepareAnnouncements } from '../../ui/announce.browser.js';

const pauseMs = 2_000;
const isPending = () => Number(document.getElementById('application')?.dataset.waiting) > 0;

async function update() {
  const response = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(() => undefined);
  // Signed out, or the template was deleted: a reload shows it. A service that is busy or restarts is asked again.
  if (response?.redirected || response?.status === 404) return;
  const page = response?.ok && new DOMParser().parseFromString(await response.text(), 'text/html');
  const latest = page && page.getElementById('application');
  if (latest) document.getElementById('application').replaceWith(document.adoptNode(latest));
  if (isPending()) setTimeout(() => void update(), pauseMs);
  else announce('The template is applied');
}

if (isPending()) {
  prepareAnnouncements();
  setTimeout(() => void update(), pauseMs);
}
