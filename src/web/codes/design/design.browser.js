// Shows the picture in the chosen design, with a logo that is not saved yet.

const preview = document.getElementById('design-preview');
const form = document.querySelector('.design-form');
const initial = preview.src;
const pauseMs = 200;
let waiting;
let latest = 0;

/** The address of a picture that can be loaded again. */
async function savedPicture(fields) {
  const design = new URLSearchParams(fields);
  design.delete('csrfToken');
  design.delete('styleName');
  // No file is chosen.
  design.delete('logo');
  const address = new URL(`?${design}`, preview.src.startsWith('blob:') ? initial : preview.src).href;
  const response = await fetch(address).catch(() => undefined);
  return response?.ok && !response.redirected ? address : undefined;
}

/** A file is not part of an address: the whole form is sent, and the response is kept. */
async function pictureWithFile(fields) {
  const response = await fetch(new URL('preview', `${form.action}/`), {
    method: 'POST',
    body: fields,
    headers: { Accept: 'image/svg+xml' },
  }).catch(() => undefined);
  return response?.ok && !response.redirected ? URL.createObjectURL(await response.blob()) : undefined;
}

async function showPreview() {
  latest += 1;
  const turn = latest;
  const fields = new FormData(form);
  const address = await (fields.get('logo')?.size > 0 ? pictureWithFile(fields) : savedPicture(fields));
  // An incomplete number, or a file that is no logo, has no picture: the last one stays.
  if (!address) return;
  if (turn !== latest) return URL.revokeObjectURL(address);
  const former = preview.src;
  preview.src = address;
  URL.revokeObjectURL(former);
}

form.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => void showPreview(), pauseMs);
});
