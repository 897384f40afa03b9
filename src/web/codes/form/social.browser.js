// Moves a link up by one: the rows stay, and their values change places.

const rows = [...document.querySelectorAll('.link-row')];

rows.forEach((row, index) => {
  const button = row.querySelector('[data-move-up]');
  if (!button) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    const [above, own] = [rows[index - 1], row].map((each) => [...each.querySelectorAll('input')]);
    own.forEach((input, at) => {
      [input.value, above[at].value] = [above[at].value, input.value];
    });
    // Focus follows the link, so that it can be moved on.
    (rows[index - 1].querySelector('[data-move-up]') ?? above[0]).focus();
    above[0].dispatchEvent(new Event('input', { bubbles: true }));
  });
});
