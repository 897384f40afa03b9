// Marks a code as a favorite without leaving the page, so that the focus and the scroll position stay.

import { announce, prepareAnnouncements } from '../ui/announce.browser.js';

const forms = document.querySelectorAll('.star-form');
if (forms.length > 0) prepareAnnouncements();

function showFavorite(form, isFavorite) {
  const button = form.querySelector('.star');
  button.setAttribute('aria-pressed', String(isFavorite));
  button.textContent = isFavorite ? '★' : '☆';
  button.title = isFavorite ? 'Remove from favorites' : 'Add to favorites';
  form.elements.isFavorite.value = String(!isFavorite);
}

async function send(form) {
  const isFavorite = form.elements.isFavorite.value === 'true';
  const response = await fetch(form.action, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    body: new URLSearchParams(new FormData(form)),
  }).catch(() => undefined);
  // As without this script: the next page shows the error.
  if (!response?.ok || response.redirected) return form.submit();
  const { message } = await response.json();
  showFavorite(form, isFavorite);
  announce(message);
}

for (const form of forms) {
  let isSending = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    // Skips the double-submit guard of app.browser.js, which would block the next click for seconds.
    event.stopPropagation();
    if (isSending) return;
    isSending = true;
    void send(form).finally(() => {
      isSending = false;
    });
  });
}
