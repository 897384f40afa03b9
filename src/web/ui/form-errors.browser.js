// Removes an error when its field has been corrected, and the notice at the top when none is left.

const pauseMs = 400;
const summary = document.querySelector('.notice.bad[role=alert]');

function clear(field) {
  const note = document.getElementById(`${field.id}-error`);
  const others = (field.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== note?.id);
  note?.remove();
  field.removeAttribute('aria-invalid');
  if (others.some(Boolean)) field.setAttribute('aria-describedby', others.join(' '));
  else field.removeAttribute('aria-describedby');
  if (document.querySelector('[aria-invalid]')) return;
  document.title = document.title.replace(/^Error: /, '');
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
    body: new URLSearchParams(new FormData(form)),
  }).catch(() => undefined);
  if (!answer?.ok || answer.redirected) return undefined;
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}

function watch(form) {
  let waiting;
  let latest = 0;

  async function renew() {
    latest += 1;
    const turn = latest;
    const checked = await check(form);
    if (!checked || turn !== latest) return;
    for (const field of form.querySelectorAll('[aria-invalid]')) {
      const now = checked.getElementById(field.id);
      const note = document.getElementById(`${field.id}-error`);
      if (!now?.hasAttribute('aria-invalid')) clear(field);
      else if (note) note.textContent = checked.getElementById(note.id)?.textContent ?? note.textContent;
    }
  }

  form.addEventListener('input', ({ target }) => {
    if (!form.querySelector('[aria-invalid]')) return;
    clearTimeout(waiting);
    if ('check' in form.dataset) waiting = setTimeout(() => void renew(), pauseMs);
    // The error was about the previous value.
    else if (target.hasAttribute('aria-invalid') && target.value !== '' && target.checkValidity())
      clear(target);
  });
}

for (const form of document.forms) if (form.querySelector('[aria-invalid]')) watch(form);
