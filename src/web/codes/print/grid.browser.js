// Opens the fields of a custom grid when it is chosen, or has been before this script was loaded, and shows the chosen sheet.

const sheet = document.getElementById('field-sheet');
const grid = sheet?.form.querySelector('details');

function showSheet() {
  for (const preview of document.querySelectorAll('[data-sheet]'))
    preview.toggleAttribute('hidden', preview.dataset.sheet !== sheet.value);
}

sheet?.addEventListener('change', () => {
  grid.open = sheet.value === 'grid';
  showSheet();
});
if (sheet?.value === 'grid') grid.open = true;
if (sheet) showSheet();
