// The message of the last action disappears by itself, unless it is being read or has something to click.

const shownMs = 8_000;

for (const toast of document.querySelectorAll('.toast')) {
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'ghost icon-only close';
  close.setAttribute('aria-label', 'Close this message');
  close.addEventListener('click', () => toast.remove());
  const needsAnswer = toast.querySelector('a, button, form');
  toast.append(close);
  if (!needsAnswer) closeLater(toast);
}

function closeLater(toast) {
  setTimeout(() => {
    if (toast.matches(':hover, :focus-within')) closeLater(toast);
    else toast.remove();
  }, shownMs);
}
