// Shows what to do with the selected codes while some are, and counts them.

import { announce, prepareAnnouncements } from '../../ui/announce.browser.js';

const form = document.getElementById('selection');
const boxes = [...document.querySelectorAll('.select-box input')];
const count = form.querySelector('.count');
const selectPage = form.querySelector('.select-page');
const clear = form.querySelector('.clear');

function show() {
  const selected = boxes.filter(({ checked }) => checked).length;
  form.classList.toggle('active', selected > 0);
  selectPage.hidden = selected === boxes.length;
  clear.hidden = selected === 0;
  count.textContent = selected === 0 ? '' : `${selected} ${selected === 1 ? 'code' : 'codes'} selected`;
}

function tell() {
  show();
  announce(count.textContent || 'Selection cleared.');
}

function checkAll(checked) {
  for (const box of boxes) box.checked = checked;
  tell();
  // The pressed button is gone.
  if (checked) clear.focus();
  else boxes[0].focus();
}

for (const box of boxes) box.addEventListener('change', tell);
selectPage.addEventListener('click', () => checkAll(true));
clear.addEventListener('click', () => checkAll(false));
prepareAnnouncements();
// Also when the browser goes back to a page that it kept, or fills in what was checked before a reload.
addEventListener('pageshow', show);
