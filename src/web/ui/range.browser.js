// Keeps the number beside each slider up to date.

for (const slider of document.querySelectorAll('.range input')) {
  const output = slider.parentElement.querySelector('output');
  const show = () => {
    output.textContent = `${slider.value}${output.dataset.unit}`;
  };
  slider.addEventListener('input', show);
  // The browser's back button restores values without an event.
  addEventListener('pageshow', show);
}
