// Shows what a phone will show, while the form is filled in.

const form = document.querySelector('.code-form');
const pauseMs = 400;
let waiting;
let latest = 0;
let shownMarkup = document.getElementById('phone').innerHTML;

async function readPreview() {
  const body = new URLSearchParams(new FormData(form));
  const address = new URL(form.action);
  // Below the path of BASE_URL, as the form is.
  address.pathname = `${address.pathname.slice(0, address.pathname.lastIndexOf('/codes/'))}/codes/preview`;
  address.search = '';
  const response = await fetch(address, { method: 'POST', body }).catch(() => undefined);
  if (!response?.ok || response.redirected) return undefined;
  return new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('phone');
}

async function show() {
  latest += 1;
  const turn = latest;
  const phone = await readPreview();
  if (!phone || turn !== latest || phone.innerHTML === shownMarkup) return;
  shownMarkup = phone.innerHTML;
  // A new frame each time: navigating the old one would add an entry to the history.
  const old = document.querySelectorAll('.phone');
  const frame = phone.querySelector('iframe');
  const swap = () => {
    for (const each of old) each.remove();
    phone.classList.remove('loading');
    phone.id = 'phone';
  };
  if (!frame) {
    old[0].after(phone);
    return swap();
  }
  phone.classList.add('loading');
  // The one that is shown has the id.
  phone.removeAttribute('id');
  frame.addEventListener('load', swap, { once: true });
  old[0].after(phone);
}

function renew() {
  clearTimeout(waiting);
  waiting = setTimeout(() => void show(), pauseMs);
}

form.addEventListener('input', renew);

// A color that is chosen is meant to be used.
const color = document.getElementById('field-pageColor');
color.addEventListener('input', () => {
  document.getElementById('field-hasPageColor').checked = true;
});

// The browser's back button fills in what was typed before.
addEventListener('pageshow', renew);

// With the focus, browsers scroll to an element, but not to a frame.
addEventListener('blur', () => {
  document.activeElement.closest('.phone')?.scrollIntoView({ block: 'nearest' });
});
