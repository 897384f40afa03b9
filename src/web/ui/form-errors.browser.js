// Removes an error when its field has been corrected, and the notice at the top when none is left. Shows errors before a form
// with a file is sent: the page that the server would answer with has lost the file.

import { textFields } from './text-fields.browser.js';

const pauseMs = 400;
const summaryOf = (page) => page.querySelector('.notice.bad[role=alert]');
const watched = new Set();

function clear(field) {
  const note = document.getElementById(`${field.id}-error`);
  const others = (field.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== note?.id);
  note?.remove();
  field.removeAttribute('aria-invalid');
  if (others.some(Boolean)) field.setAttribute('aria-describedby', others.join(' '));
  else field.removeAttribute('aria-describedby');
  if (document.querySelector('[aria-invalid]')) return;
  document.title = document.title.replace(/^Error: /, '');
  const summary = summaryOf(document);
  if (!summary) return;
  summary.className = 'notice good';
  summary.setAttribute('role', 'status');
  summary.textContent = 'No errors left. Save to try again.';
}

/** The form as the server would show it for the current input. Nothing is saved. */
async function check(form) {
  const address = new URL(form.action);
  address.searchParams.set('check', '');
  const answer = await fetch(address, {
    method: 'POST',
    body: textFields(form),
  }).catch(() => undefined);
  if (!answer?.ok || answer.redirected) return undefined;
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}

function watch(form) {
  if (watched.has(form)) return;
  watched.add(form);
  let waiting;
  let latest = 0;

  async function renew() {
    latest += 1;
    const turn = latest;
    const checked = await check(form);
    if (!checked || turn !== latest) return;
    for (const field of form.querySelectorAll('[aria-invalid]:not([type=file])')) {
      const now = checked.getElementById(field.id);
      const note = document.getElementById(`${field.id}-error`);
      if (!now?.hasAttribute('aria-invalid')) clear(field);
      else if (note) note.textContent = checked.getElementById(note.id)?.textContent ?? note.textContent;
    }
  }

  form.addEventListener('input', ({ target }) => {
    if (!form.querySelector('[aria-invalid]')) return;
    clearTimeout(waiting);
    // What is checked has no files.
    if (target.type === 'file') clear(target);
    else if ('check' in form.dataset) waiting = setTimeout(() => void renew(), pauseMs);
    // The error was about the previous value.
    else if (target.hasAttribute('aria-invalid') && target.value !== '' && target.checkValidity())
      clear(target);
  });
}

/** As the server shows it. */
function mark(shown) {
  const field = document.getElementById(shown.id);
  const note = shown.ownerDocument.getElementById(`${shown.id}-error`);
  if (!field || !note) return;
  document.getElementById(note.id)?.remove();
  (field.closest('.field') ?? field.parentElement).append(note);
  const folded = field.closest('details');
  if (folded) folded.open = true;
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', shown.getAttribute('aria-describedby') ?? note.id);
}

function showErrors(form, checked) {
  for (const shown of checked.querySelectorAll('[aria-invalid]')) mark(shown);
  const summary = summaryOf(checked);
  for (const old of document.querySelectorAll('main .notice')) old.remove();
  if (summary) document.querySelector('main h1').after(summary);
  document.title = checked.title;
  form.querySelector('[aria-invalid]')?.focus();
  watch(form);
}

/** Whether the server would accept it, as far as it can say without the files. */
function checkFirst(form) {
  let state = 'unchecked';
  form.addEventListener('submit', async (event) => {
    const hasFile = [...form.querySelectorAll('input[type=file]')].some(({ files }) => files.length > 0);
    if (state === 'checked' || !hasFile) return;
    event.preventDefault();
    if (state === 'checking') return;
    state = 'checking';
    const checked = await check(form);
    // app.browser.js takes it for sent.
    delete form.dataset.sent;
    if (checked?.querySelector('[aria-invalid]')) showErrors(form, checked);
    else {
      state = 'checked';
      form.requestSubmit(event.submitter);
    }
    state = 'unchecked';
  });
}

for (const form of document.forms) {
  if (form.querySelector('[aria-invalid]')) watch(form);
  if ('check' in form.dataset && form.querySelector('input[type=file]')) checkFirst(form);
}
