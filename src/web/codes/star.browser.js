// Marks a code as a favorite without leaving the page, so that the focus and the scroll position stay.

import { announce, prepareAnnouncements } from '../ui/announce.browser.js';

const forms = document.querySelectorAll('.star-form');
if (forms.length > 0) prepareAnnouncements();

function showStar(form, html) {
  const state = form.querySelector('.star-state');
  const hadFocus = state.contains(document.activeElement);
  state.innerHTML = html;
  if (hadFocus) state.querySelector('button').focus({ preventScroll: true });
}

async function send(form) {
  const response = await fetch(form.action, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    body: new URLSearchParams(new FormData(form)),
  }).catch(() => undefined);
  // As without this script: the next page shows the error.
  if (!response?.ok || response.redirected) return form.submit();
  const { message, star } = await response.json();
  showStar(form, star);
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
