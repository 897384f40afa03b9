// Keeps the checked boxes while the list is paged, filtered and searched: in this tab, until they are cleared.

import { announce, prepareAnnouncements } from '../../ui/announce.browser.js';

const form = document.getElementById('selection');
const boxes = [...document.querySelectorAll('.select-box input[name=code]')];
const pageBox = document.querySelector('thead .select-box input');
const status = form.querySelector('.count');
const [selectPage, clear] = form.querySelectorAll('button[type=button]');
// Viewers cannot apply a template.
const [print, apply] = form.querySelectorAll('button[type=submit]');
const all = form.elements.namedItem('all');
const { owner, max, maxApplied, maxInAddress, csrf } = form.dataset;
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
  const checked = boxes.filter((box) => box.checked).length;
  pageBox.checked = checked === boxes.length;
  pageBox.indeterminate = checked > 0 && !pageBox.checked;
  const isAll = all?.checked ?? false;
  const isNone = chosen.size === 0 && !isAll;
  // The bar is there as long as something is selected.
  form.classList.toggle('active', !isNone);
  clear.hidden = isNone;
  selectPage.hidden = pageBox.checked;
  print.disabled = isNone;
  if (apply) apply.disabled = isNone || (!isAll && chosen.size > Number(maxApplied));
  status.textContent = chosen.size === 0 ? '' : `${selectionText()}. ${note}`.trim();
}

/** Announces the count to screen readers. */
function tellSelection(note) {
  showSelection(note);
  announce(status.textContent || 'Selection cleared.');
}

/** As many as fit. */
function add(added) {
  const fitting = added.filter((each) => !chosen.has(each.value)).slice(0, maxCodes - chosen.size);
  for (const { value } of fitting) chosen.add(value);
  const isFull = added.some(({ value }) => !chosen.has(value));
  write();
  tellSelection(isFull ? 'That is as many as can be printed at a time.' : '');
}

for (const box of boxes)
  box.addEventListener('change', () => {
    if (box.checked) return add([box]);
    chosen.delete(box.value);
    write();
    tellSelection();
  });

pageBox.addEventListener('change', () => {
  if (pageBox.checked) return add(boxes);
  for (const { value } of boxes) chosen.delete(value);
  write();
  tellSelection();
});

selectPage.addEventListener('click', () => {
  add(boxes);
  if (selectPage.hidden) clear.focus();
});

clear.addEventListener('click', () => {
  chosen.clear();
  if (all) all.checked = false;
  write();
  tellSelection();
  // The button is gone.
  boxes[0].focus();
});

/** 22 characters each, as print/selection.ts reads them. */
function pack(id) {
  const bytes = id.replaceAll('-', '').match(/../g);
  const text = btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))));
  return text.slice(0, 22).replaceAll('+', '-').replaceAll('/', '_');
}

const isPosted = () => !all?.checked && chosen.size > Number(maxInAddress);

form.addEventListener('submit', () => {
  form.method = isPosted() ? 'post' : 'get';
});

// The boxes of this page are among them.
form.addEventListener('formdata', ({ formData }) => {
  if (all?.checked) return;
  formData.delete('code');
  if (chosen.size > 0) formData.set('codes', [...chosen].map(pack).join(''));
  if (isPosted()) formData.set('csrfToken', csrf);
});

all?.addEventListener('change', () => {
  showSelection();
  // The bar with this box is gone.
  if (!form.classList.contains('active')) boxes[0].focus();
});

pageBox.parentElement.hidden = false;
prepareAnnouncements();

// Also when the browser goes back to a page that it kept.
addEventListener('pageshow', () => {
  read();
  showSelection();
});
