// Keeps the size in millimeters and in pixels the same.

const dotsPerMm = 300 / 25.4;
const pixels = document.getElementById('field-size');
const mm = document.getElementById('field-sizeMm');

mm.addEventListener('input', () => {
  if (!/^\s*\d{1,3}\s*$/.test(mm.value)) return;
  pixels.value = String(Math.round(Number(mm.value) * dotsPerMm));
  // For the picture, and for errors that are corrected now.
  pixels.dispatchEvent(new Event('input', { bubbles: true }));
});

pixels.addEventListener('input', (event) => {
  // Not from above, which would change the digits that are being typed.
  if (!event.isTrusted) return;
  mm.value = /^\s*\d{1,6}\s*$/.test(pixels.value) ? String(Math.round(Number(pixels.value) / dotsPerMm)) : '';
});
