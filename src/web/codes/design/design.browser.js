// Shows the picture in the chosen design, with a logo that is not saved yet, and what is known about how well it can be read.

import './history.browser.js';

const preview = document.getElementById('design-preview');
const form = preview.closest('form');
const initial = preview.src;
const pauseMs = 200;
/** How often a picture is asked for again while the service is busy. */
const maxTries = 5;
const retryMs = 1_000;
let waiting;
let latest = 0;

const isDesign = ({ name }) => new URL(initial).searchParams.has(name);

/** The address of a picture that can be loaded again. */
function savedPicture(fields) {
  const design = new URLSearchParams([...fields].filter(([name]) => isDesign({ name })));
  const address = new URL(`?${design}`, initial).href;
  return { request: fetch(address), address };
}

/** A file is not part of an address: the design is sent as a form, and the response is kept. */
function pictureWithFile(fields) {
  const design = new FormData();
  for (const [name, value] of fields)
    if (isDesign({ name }) || ['csrfToken', 'logo'].includes(name)) design.append(name, value);
  const request = fetch(new URL('preview', initial), {
    method: 'POST',
    body: design,
    headers: { Accept: 'image/svg+xml' },
  });
  return { request };
}

async function showPreview(tries = 1) {
  latest += 1;
  const turn = latest;
  const fields = new FormData(form);
  const { request, address } = fields.get('logo')?.size > 0 ? pictureWithFile(fields) : savedPicture(fields);
  const response = await request.catch(() => undefined);
  if (turn === latest && tries < maxTries && (!response || [429, 503].includes(response.status))) {
    clearTimeout(waiting);
    waiting = setTimeout(() => void showPreview(tries + 1), retryMs);
  }
  // An incomplete number, or a file that is no logo, has no picture: the last one stays.
  if (!response?.ok || response.redirected || turn !== latest) return;
  const shown = address ?? URL.createObjectURL(await response.blob());
  if (turn !== latest) return URL.revokeObjectURL(shown);
  const former = preview.src;
  preview.src = shown;
  URL.revokeObjectURL(former);
  showReading(JSON.parse(decodeURIComponent(response.headers.get('Qrelay-Reading') ?? 'null')));
}

function showReading(reading) {
  const contrast = document.getElementById('contrast');
  if (!reading || !contrast) return;
  contrast.value = reading.contrast;
  document.getElementById('contrast-text').textContent = `${reading.contrast} : 1`;
  document.getElementById('repairs').value = reading.repairs ?? 0;
  document.getElementById('repairs-text').textContent = `${reading.repairs ?? 0}%`;
  const proof = document.getElementById('proof');
  if (proof) proof.textContent = proof.dataset.unsaved;
  document.getElementById('design-warnings').replaceChildren(
    ...reading.warnings.map((warning) => {
      const line = document.createElement('p');
      line.textContent = warning;
      return line;
    }),
  );
}

form.addEventListener('input', ({ target }) => {
  if (!isDesign(target) && target.name !== 'logo') return;
  clearTimeout(waiting);
  waiting = setTimeout(() => void showPreview(), pauseMs);
});

// A design to start from is filled in without leaving the page, which would lose what was typed.
for (const start of document.querySelectorAll('.starts a')) {
  start.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const values = JSON.parse(start.dataset.values);
    for (const [name, value] of Object.entries(values)) fill(name, value);
    const kept = document.querySelector('.kept-logo');
    if (values.styleId) kept.hidden = !('logo' in start.dataset);
    // It is in the preview.
    if (values.styleId) kept.querySelector('img')?.remove();
    for (const other of document.querySelectorAll('.starts a')) other.removeAttribute('aria-current');
    start.setAttribute('aria-current', 'true');
    form.elements.namedItem('styleId').dispatchEvent(new Event('input', { bubbles: true }));
    form.dispatchEvent(new Event('change'));
  });
}

// One stop of the Tab key, as a group of radio buttons: arrow keys move among the designs.
const starts = [...document.querySelectorAll('.starts a')];
const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

function stopAt(chosen) {
  for (const start of starts) start.tabIndex = start === chosen ? 0 : -1;
}

stopAt(starts.find((start) => start.hasAttribute('aria-current')) ?? starts[0]);
for (const [index, start] of starts.entries()) {
  start.addEventListener('focus', () => stopAt(start));
  start.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    starts.at((index + step) % starts.length).focus();
  });
}

function fill(name, value) {
  const field = form.elements.namedItem(name);
  if (!field) return;
  if (field.type === 'checkbox') field.checked = value === 'on';
  else field.value = value;
  if (field.type === 'range') field.dispatchEvent(new Event('input'));
}
