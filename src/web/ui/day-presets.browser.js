// Buttons beside fields for days, which fill in a day that many people want.

const isoDay = (date) => date.toISOString().slice(0, 10);

/** Days are UTC days, as on the server. The last day of a month stays one: a month after January 31 is February 28. */
function dayOf(offset, now = new Date()) {
  if (offset === '') return '';
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const at = (...parts) => isoDay(new Date(Date.UTC(...parts)));
  if (offset === 'start of month') return at(year, month, 1);
  if (offset === 'start of last month') return at(year, month - 1, 1);
  if (offset === 'end of last month') return at(year, month, 0);
  const [count, unit] = offset.split(' ');
  if (unit === 'days') return at(year, month, day + Number(count));
  const to = month + Number(count) * (unit === 'years' ? 12 : 1);
  const lastDay = new Date(Date.UTC(year, to + 1, 0)).getUTCDate();
  return at(year, to, Math.min(day, lastDay));
}

for (const group of document.querySelectorAll('.presets')) {
  const fields = group.dataset.fields.split(' ').map((id) => document.getElementById(id));
  const buttons = [...group.querySelectorAll('button')];
  const daysOf = (button) => button.dataset.days.split('|').map((offset) => dayOf(offset));

  const mark = () => {
    for (const button of buttons) {
      const isChosen = daysOf(button).every((day, index) => fields[index].value === day);
      button.setAttribute('aria-pressed', String(isChosen));
    }
  };
  for (const button of buttons)
    button.addEventListener('click', () => {
      daysOf(button).forEach((day, index) => {
        fields[index].value = day;
        for (const type of ['input', 'change'])
          fields[index].dispatchEvent(new Event(type, { bubbles: true }));
      });
    });
  for (const field of fields) field.addEventListener('input', mark);
  // The browser's back button restores values without an event.
  addEventListener('pageshow', mark);
  mark();
}
