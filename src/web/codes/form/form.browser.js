// Shows the picture in the chosen design, and warnings about it.

const preview = document.getElementById('preview');
const warnings = document.getElementById('warnings');
const names = ['foregroundColor', 'backgroundColor', 'size', 'errorCorrection'];
const controls = names.map((name) => document.getElementById(`field-${name}`));
const pauseMs = 200;
let waiting;
let latest = 0;

async function showPreview() {
  latest += 1;
  const turn = latest;
  const design = new URLSearchParams(controls.map(({ name, value }) => [name, value]));
  if (preview.dataset.code) design.set('code', preview.dataset.code);
  const address = new URL(`?${design}`, preview.src).href;
  const response = await fetch(address).catch(() => undefined);
  // An incomplete size has no picture: the last one stays.
  if (!response?.ok || response.redirected || turn !== latest) return;
  preview.src = address;
  // No warning contains a comma.
  const texts = (response.headers.get('Qrelay-Warning') ?? '').split(', ').filter(Boolean);
  warnings.replaceChildren(
    ...texts.map((text) => {
      const line = document.createElement('p');
      line.className = 'notice bad';
      line.textContent = text;
      return line;
    }),
  );
}

for (const control of controls) {
  control.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void showPreview(), pauseMs);
  });
}

// Another type is another page: what was typed is sent along, in the body, because addresses end up in histories and logs.
const form = document.querySelector('.code-form');

for (const link of document.querySelectorAll('.types a[data-type]')) {
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const { action } = form;
    form.action = `${link.href}&switch`;
    form.submit();
    // For the browser's back button, which brings this page back as it is.
    form.action = action;
  });
}

// Warnings about values that are valid but may be a mistake.
for (const note of document.querySelectorAll('.caution')) {
  const control = document.getElementById(note.id.replace(/-caution$/, ''));
  const pattern = new RegExp(note.dataset.pattern);
  control.addEventListener('input', () => {
    const text = pattern.test(control.value) ? note.dataset.text : '';
    if (note.textContent !== text) note.textContent = text;
  });
}
