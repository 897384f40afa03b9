// The hex code beside each color: what is typed or pasted there chooses the color, and shows the one that is chosen.

const fields = [...document.querySelectorAll('.color')].map((field) => ({
  color: field.querySelector('[type=color]'),
  code: field.querySelector('[type=text]'),
}));

const sixDigits = /^#?([0-9a-f]{6})$/i;
const threeDigits = /^#?([0-9a-f])([0-9a-f])([0-9a-f])$/i;

function choose(color, digits) {
  const value = `#${digits.toLowerCase()}`;
  if (color.value === value) return;
  color.value = value;
  color.dispatchEvent(new Event('input', { bubbles: true }));
}

function show(except) {
  for (const { color, code } of fields) if (code !== except) code.value = color.value;
}

for (const { color, code } of fields) {
  code.addEventListener('input', () => {
    const [, digits] = sixDigits.exec(code.value.trim()) ?? [];
    if (digits) choose(color, digits);
  });
  // Three digits may be the beginning of six until the field is left. What is no color is replaced by the one that is chosen.
  code.addEventListener('change', () => {
    const short = threeDigits.exec(code.value.trim());
    if (short)
      choose(
        color,
        short
          .slice(1)
          .map((digit) => digit.repeat(2))
          .join(''),
      );
    code.value = color.value;
  });
  code.addEventListener('focus', () => code.select());
}

// Presets, undo and redo fill in several fields, with one event. The code that is being typed stays.
document.addEventListener('input', () => show(document.activeElement));
// The browser's back button restores values without an event, maybe before this script is loaded.
show(document.activeElement);
addEventListener('pageshow', () => show(document.activeElement));
