// Opens the print dialog, and shows each setting in the preview while it is changed. Without this script, a button does that.

const form = document.querySelector('.print-setup form');
const pauseMs = 250;
let timer;
let latest = 0;
/** The settings are wrong, and the server says how. */
let isRefused = false;

document.querySelector('[data-print]').addEventListener('click', () => print());

function adopt(page, isOtherFormat) {
  for (const selector of ['.print-preview', '[data-advice]', '[data-paper]'])
    document.querySelector(selector).replaceWith(page.querySelector(selector));
  form.elements.shown.value = page.querySelector('[name="shown"]').value;
  // Each format has a width of its own.
  if (isOtherFormat) form.elements.width.value = page.querySelector('[name="width"]').value;
}

async function refresh() {
  const turn = (latest += 1);
  const address = `${form.action}?${new URLSearchParams(new FormData(form))}`;
  const isOtherFormat = form.elements.shown.value !== form.elements.format.value;
  const response = await fetch(address).catch(() => undefined);
  const text = await response?.text();
  if (turn !== latest) return;
  // A number that is half typed is no reason to complain yet.
  isRefused = response?.status === 400;
  if (!response?.ok) return;
  adopt(new DOMParser().parseFromString(text, 'text/html'), isOtherFormat);
  history.replaceState(null, '', address);
}

form.addEventListener('input', ({ target }) => {
  clearTimeout(timer);
  timer = setTimeout(() => void refresh(), target.localName === 'select' ? 0 : pauseMs);
});
form.addEventListener('focusout', () => {
  if (isRefused) form.requestSubmit();
});
