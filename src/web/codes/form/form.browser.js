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
