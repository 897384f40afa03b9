// The docs also work without scripts. This remembers the language of the examples, follows old links, and shows where on
// the page the reader is.

import './search.browser.js';
import './try.browser.js';

const root = document.documentElement;

function radios() {
  return document.querySelectorAll('.docs-samples input[type="radio"]');
}

function showChoice(language) {
  for (const radio of radios()) if (radio.value === language) radio.checked = true;
}

function choose(radio) {
  const before = radio.getBoundingClientRect().top;
  root.dataset.language = radio.value;
  showChoice(radio.value);
  // Examples above it have another height now.
  scrollBy({ top: radio.getBoundingClientRect().top - before, behavior: 'instant' });
  try {
    localStorage.setItem('docs-language', radio.value);
  } catch {
    // Not kept for the next page.
  }
}

for (const radio of radios()) radio.addEventListener('change', () => choose(radio));
if (root.dataset.language) showChoice(root.dataset.language);

/** Everything was once on one page: its anchors are entries of a list now, each with a link to the new place. */
function followOldLink() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const moved = target && target.querySelector(':scope > a[data-moved]');
  if (moved) location.replace(moved.href);
}

followOldLink();
addEventListener('hashchange', followOldLink);

const links = new Map(
  [...document.querySelectorAll('.docs-toc a')].map((link) => [link.hash.slice(1), link]),
);
const visible = new Set();
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) visible.add(target.id);
      else visible.delete(target.id);
    const current = [...links.keys()].find((id) => visible.has(id));
    for (const [id, link] of links)
      if (id === current) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
  },
  // The upper part of the window, where reading happens, without the end of the section before.
  { rootMargin: '-80px 0px -60% 0px' },
);
for (const section of document.querySelectorAll('.docs-text > section[id]')) observer.observe(section);
