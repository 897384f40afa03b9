// Shows the picture in the chosen design.

const preview = document.getElementById('design-preview');
const form = document.querySelector('.design-form');
const pauseMs = 200;
let waiting;
let latest = 0;

async function showPreview() {
  latest += 1;
  const turn = latest;
  const design = new URLSearchParams(new FormData(form));
  design.delete('csrfToken');
  // A file, which is not part of an address.
  design.delete('logo');
  const address = new URL(`?${design}`, preview.src).href;
  const response = await fetch(address).catch(() => undefined);
  // An incomplete number has no picture: the last one stays.
  if (response?.ok && !response.redirected && turn === latest) preview.src = address;
}

form.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => void showPreview(), pauseMs);
});
