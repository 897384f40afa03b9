// Shows the picture of the look that is chosen, and what scanners would have against it.

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
  const look = new URLSearchParams(controls.map(({ name, value }) => [name, value]));
  if (preview.dataset.code) look.set('code', preview.dataset.code);
  const address = new URL(`?${look}`, preview.src).href;
  const answer = await fetch(address).catch(() => undefined);
  // A size that is half typed has no picture: the last one stays.
  if (!answer?.ok || answer.redirected || turn !== latest) return;
  preview.src = address;
  // No warning has a comma in it.
  const texts = (answer.headers.get('Qrelay-Warning') ?? '').split(', ').filter(Boolean);
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

// Another type is another page: what every type has goes there with the reader.
const kept = [...names, 'name', 'category', 'lastDay'].map((name) =>
  document.getElementById(`field-${name}`),
);
const links = document.querySelectorAll('.types a');

function takeAlong() {
  for (const link of links) {
    const address = new URL(link.href);
    for (const { name, value } of kept) address.searchParams.set(name, value);
    link.href = address;
  }
}

for (const control of kept) control.addEventListener('input', takeAlong);
takeAlong();

// What can be saved but may not be what is wanted.
for (const note of document.querySelectorAll('.caution')) {
  const control = document.getElementById(note.id.replace(/-caution$/, ''));
  const pattern = new RegExp(note.dataset.pattern);
  control.addEventListener('input', () => {
    const text = pattern.test(control.value) ? note.dataset.text : '';
    if (note.textContent !== text) note.textContent = text;
  });
}
