// Shows the day and the number of scans of a bar that is pointed at, tapped, or reached with the arrow keys. The table
// below the chart has the same values.

import { announce } from '../../ui/announce.browser.js';

const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
const chartOf = (element) => element?.closest?.('#timeline');
let tip;
/** The bar that the keyboard has reached. It is kept when the chart is replaced by a newer one. */
let reached = Infinity;

/** One tab stop for the whole chart; the arrow keys move between its bars. */
export function makeFocusable(root) {
  const chart = root.getElementById('timeline');
  if (chart) chart.setAttribute('tabindex', '0');
}

function show(chart, index) {
  const bars = chart.querySelectorAll('rect');
  const at = Math.min(Math.max(index, 0), bars.length - 1);
  hide();
  bars[at].classList.add('pointed');
  tip = document.createElement('span');
  tip.className = 'tip';
  tip.ariaHidden = 'true';
  tip.textContent = bars[at].textContent;
  chart.after(tip);
  const middle = ((at + 0.5) / bars.length) * chart.clientWidth;
  const most = chart.parentElement.clientWidth - tip.offsetWidth;
  tip.style.left = `${Math.min(Math.max(middle - tip.offsetWidth / 2, 0), most)}px`;
  return at;
}

function hide() {
  tip?.remove();
  tip = undefined;
  document.querySelector('#timeline .pointed')?.classList.remove('pointed');
}

function point({ target, clientX }) {
  const chart = chartOf(target);
  if (!chart) return hide();
  const { left, width } = chart.getBoundingClientRect();
  show(chart, Math.floor(((clientX - left) / width) * chart.querySelectorAll('rect').length));
}

document.addEventListener('pointerdown', point);
document.addEventListener('pointermove', (event) => {
  // A moving finger scrolls the page. A tip that the keyboard shows stays while the mouse moves elsewhere.
  const isShown = tip && !chartOf(document.activeElement);
  if (event.pointerType === 'mouse' && (chartOf(event.target) || isShown)) point(event);
});
document.addEventListener('focusin', ({ target }) => {
  const chart = chartOf(target);
  if (chart?.matches(':focus-visible')) reached = show(chart, reached);
});
document.addEventListener('focusout', ({ target }) => {
  if (chartOf(target)) hide();
});
document.addEventListener('keydown', (event) => {
  const chart = chartOf(event.target);
  const step = steps[event.key];
  if (!chart || step === undefined) return;
  event.preventDefault();
  reached = show(chart, reached + step);
  announce(tip.textContent);
});
