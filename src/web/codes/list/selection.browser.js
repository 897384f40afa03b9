// Keeps the checked boxes while the list is paged, filtered and searched: in this tab, until they are cleared.

const form = document.getElementById('selection');
const boxes = [...document.querySelectorAll('.select-box input')];
const status = form.querySelector('[aria-live]');
const [selectPage, clear] = form.querySelectorAll('button[type=button]');
const all = form.elements.namedItem('all');
const { owner, max } = form.dataset;
const maxCodes = Number(max);
const key = `selection ${owner}`;
const figure = new Intl.NumberFormat('en');
let chosen = new Set();

function read() {
  try {
    chosen = new Set(JSON.parse(sessionStorage.getItem(key) ?? '[]'));
  } catch {
    // Without storage, the selection is that of this page.
  }
}

function write() {
  try {
    sessionStorage.setItem(key, JSON.stringify([...chosen]));
  } catch {
    // As above.
  }
}

function selectionText() {
  const elsewhere = chosen.size - boxes.filter(({ checked }) => checked).length;
  const codes = `${figure.format(chosen.size)} ${chosen.size === 1 ? 'code' : 'codes'} selected`;
  return elsewhere > 0 ? `${codes}, ${figure.format(elsewhere)} of them not on this page` : codes;
}

function showSelection(note = '') {
  for (const box of boxes) box.checked = chosen.has(box.value);
  clear.hidden = chosen.size === 0;
  selectPage.hidden = boxes.every(({ checked }) => checked);
  status.textContent = chosen.size === 0 ? '' : `${selectionText()}. ${note}`.trim();
}

/** As many as fit. */
function add(added) {
  const fitting = added.filter((each) => !chosen.has(each.value)).slice(0, maxCodes - chosen.size);
  for (const { value } of fitting) chosen.add(value);
  const isFull = added.some(({ value }) => !chosen.has(value));
  write();
  showSelection(
    isFull ? 'That is as many as can be selected. For more, filter the list and check “All”.' : '',
  );
}

for (const box of boxes)
  box.addEventListener('change', () => {
    if (box.checked) return add([box]);
    chosen.delete(box.value);
    write();
    showSelection();
  });

selectPage.addEventListener('click', () => {
  add(boxes);
  if (selectPage.hidden) clear.focus();
});

clear.addEventListener('click', () => {
  chosen.clear();
  write();
  showSelection();
  status.textContent = 'Selection cleared.';
  // The button is gone.
  boxes[0].focus();
});

/** 22 characters each, as print/selection.ts reads them. */
function pack(id) {
  const bytes = id.replaceAll('-', '').match(/../g);
  const text = btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))));
  return text.slice(0, 22).replaceAll('+', '-').replaceAll('/', '_');
}

// The boxes of this page are among them.
form.addEventListener('formdata', ({ formData }) => {
  if (all?.checked) return;
  formData.delete('code');
  if (chosen.size > 0) formData.set('codes', [...chosen].map(pack).join(''));
});

// Also when the browser goes back to a page that it kept.
addEventListener('pageshow', () => {
  read();
  showSelection();
});
