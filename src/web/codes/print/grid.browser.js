// Opens the fields of a custom grid when it is chosen.

const sheet = document.getElementById('field-sheet');
const grid = sheet?.form.querySelector('details');

sheet?.addEventListener('change', () => {
  grid.open = sheet.value === 'grid';
});
