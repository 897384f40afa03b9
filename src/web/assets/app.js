// Small helps; every page works without them.

const status = document.getElementById('copied');

for (const button of document.querySelectorAll('[data-copy]')) {
  const name = button.textContent;
  const source = document.getElementById(button.dataset.copy);
  const copied = () => {
    button.textContent = 'Copied';
    if (status) status.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = name;
    }, 2000);
  };
  const mark = () => {
    getSelection().selectAllChildren(source);
    source.select?.();
  };
  button.addEventListener('click', () => {
    // Over plain http there is no clipboard: it is left marked, ready for the keyboard.
    if (navigator.clipboard)
      navigator.clipboard.writeText(source.value ?? source.textContent).then(copied, mark);
    else mark();
  });
}

for (const moment of document.querySelectorAll('time[datetime]')) {
  const at = new Date(moment.dateTime);
  moment.title = moment.textContent;
  moment.textContent = at.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}
