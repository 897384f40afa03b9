// Shows what a phone will show, while the form is filled in.

import { textFields } from '../../ui/text-fields.browser.js';

const form = document.querySelector('.code-form');
const pauseMs = 400;
let waiting;
let latest = 0;
let shownMarkup = document.getElementById('phone').innerHTML;

async function readPreview() {
  const body = textFields(form);
  const pictures = await chosenPictures([...new FormData(form)]);
  body.set('chosen', [...pictures.keys()].join(' '));
  const address = new URL(form.action);
  // Below the path of BASE_URL, as the form is.
  address.pathname = `${address.pathname.slice(0, address.pathname.lastIndexOf('/codes/'))}/codes/preview`;
  address.search = '';
  const response = await fetch(address, { method: 'POST', body }).catch(() => undefined);
  if (!response?.ok || response.redirected) return undefined;
  const phone = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('phone');
  const frame = phone?.querySelector('iframe');
  for (const [name, picture] of pictures)
    frame?.setAttribute('srcdoc', frame.getAttribute('srcdoc').replace(`"data:,${name}"`, `"${picture}"`));
  return phone;
}

/** Their width at twice the size in which the page shows them. */
const sides = { photo: 256, pageLogo: 384 };
const drawn = new WeakMap();

/** The photo and the logo of the page stay in the browser until the code is created. */
async function chosenPictures(fields) {
  const pictures = new Map();
  for (const [name, file] of fields) {
    if (!(name in sides) || !(file.size > 0)) continue;
    if (!drawn.has(file)) drawn.set(file, await toAddress(file, name).catch(() => undefined));
    const address = drawn.get(file);
    if (address) pictures.set(name, address);
  }
  return pictures;
}

/** A `data:` address, because the frame may load nothing from `blob:`. A photo is the middle of its file, as when it is saved. */
async function toAddress(file, name) {
  if (file.type === 'image/svg+xml') return readAsAddress(file);
  const bitmap = await createImageBitmap(file);
  const side = Math.min(bitmap.width, bitmap.height);
  const [width, height] = name === 'photo' ? [side, side] : [bitmap.width, bitmap.height];
  const scale = Math.min(1, sides[name] / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const [x, y] = [(bitmap.width - width) / 2, (bitmap.height - height) / 2];
  canvas.getContext('2d').drawImage(bitmap, x, y, width, height, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL('image/png');
}

function readAsAddress(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(file);
  });
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
// A file that is dropped is no input.
form.addEventListener('change', ({ target }) => {
  if (target.type === 'file') renew();
});

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
