// Filters the list as soon as a filter is chosen with the mouse or a finger. With the keyboard, which passes every choice on the
// way to the wanted one, the button does it.

const form = document.querySelector('form.search');
let isTyped = false;
form?.addEventListener('keydown', () => {
  isTyped = true;
});
form?.addEventListener('pointerdown', () => {
  isTyped = false;
});
form?.addEventListener('change', ({ target }) => {
  if (target.matches('select') && !isTyped) form.requestSubmit();
});
