// Opens the print dialog, and updates the preview when a setting changes.

const button = document.querySelector('[data-print]');
button.addEventListener('click', () => print());

const form = document.querySelector('.print-setup form');
for (const select of form.querySelectorAll('select'))
  select.addEventListener('change', () => form.requestSubmit());
