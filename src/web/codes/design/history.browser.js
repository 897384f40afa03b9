// Undo and redo of what was chosen in a designer.

const form = document.getElementById('design-preview').closest('form');
const controls = form.querySelector('.design-controls');
const undoButton = document.getElementById('undo');
const redoButton = document.getElementById('redo');
const maxSteps = 100;
const past = [];
const future = [];

const styleId = form.elements.namedItem('styleId');
/** The name of a template is not a part of its design. Fields without a name only show what others have. */
const fields = () =>
  [...controls.querySelectorAll('[name]'), styleId].filter(({ name }) => name !== 'styleName');

const snapshot = () =>
  fields().map((field) => {
    if (field.type === 'file') return [...field.files];
    return ['checkbox', 'radio'].includes(field.type) ? field.checked : field.value;
  });

function isSame(one, other) {
  return one.every((value, index) =>
    Array.isArray(value) ? value[0] === other[index][0] : value === other[index],
  );
}

let current = snapshot();

let isShowing = false;

function restore(state) {
  isShowing = true;
  fields().forEach((field, index) => {
    const value = state[index];
    if (field.type === 'file') {
      if (value[0] === field.files[0]) return;
      const files = new DataTransfer();
      for (const file of value) files.items.add(file);
      field.files = files.files;
      field.dispatchEvent(new Event('change', { bubbles: true }));
    } else if (typeof value === 'boolean') field.checked = value;
    else field.value = value;
    if (field.type === 'range') field.dispatchEvent(new Event('input'));
  });
  isShowing = false;
  current = state;
  enable();
  styleId.dispatchEvent(new Event('input', { bubbles: true }));
}

function enable() {
  undoButton.disabled = past.length === 0;
  redoButton.disabled = future.length === 0;
}

function step(from, to) {
  const state = from.pop();
  if (!state) return;
  to.push(current);
  restore(state);
}

const undo = () => step(past, future);
const redo = () => step(future, past);

form.addEventListener('change', () => {
  if (isShowing) return;
  const state = snapshot();
  if (isSame(state, current)) return;
  past.push(current);
  if (past.length > maxSteps) past.shift();
  future.length = 0;
  current = state;
  enable();
});

undoButton.addEventListener('click', undo);
redoButton.addEventListener('click', redo);

addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key !== 'z' && key !== 'y') return;
  // In a field for text, the browser undoes what was typed.
  if (event.target.matches('textarea, input:is([type=text], [type=search], :not([type]))')) return;
  event.preventDefault();
  if (key === 'y' || event.shiftKey) redo();
  else undo();
});

// The browser's back button restores values without an event.
addEventListener('pageshow', () => {
  current = snapshot();
});
undoButton.parentElement.hidden = false;
enable();
