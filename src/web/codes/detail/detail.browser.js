// Keeps the page of a code up to date while it is visible. Without this script it shows the state at its opening.

import { announce, prepareAnnouncements } from '../../ui/announce.browser.js';
import { showLocalTimes } from '../../ui/app.browser.js';
import '../star.browser.js';
import { makeFocusable } from './chart.browser.js';

const part = (id) => document.getElementById(id);
const reloadDelayMs = 2_000;
const reloadedParts = ['totals', 'chart', 'rankings', 'scan-pages'];
let ever;
let reloading;

/** The server renders the HTML of an update: see live-scans.tsx. */
function showUpdate(update) {
  const isFirst = ever === undefined;
  const added = isFirst ? 0 : update.ever - ever;
  ever = update.ever;
  if (added > 0) announce(`${added.toLocaleString('en')} new ${added === 1 ? 'scan' : 'scans'}`);
  if (part('no-scans')) {
    // The first scan: charts replace the text.
    if (update.ever > 0) void reload(['code-scans']);
    return;
  }
  const { days, scans } = part('totals').dataset;
  // A tab may have been opened long before it is looked at.
  const isStale = isFirst && days !== undefined && update.periods[days] !== Number(scans);
  // Totals of other periods are loaded with the charts.
  if (days !== undefined) part('total-scans').replaceChildren(parse(update.html.periods[days]));
  part('total-today')?.replaceChildren(parse(update.html.today));
  const rows = document.querySelector('#scans tbody[data-live]');
  if (rows) showLatest(rows, update.html.scans);
  if (added > 0 || isStale) reloading ??= setTimeout(() => void reload(reloadedParts), reloadDelayMs);
}

function parse(html) {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content;
}

/** Keeps the rows that are already shown, so that only new ones are animated. */
function showLatest(rows, html) {
  const shown = new Map([...rows.children].map((row) => [row.dataset.scan, row]));
  const latest = [...parse(html).children].map((row) => shown.get(row.dataset.scan) ?? toNewRow(row));
  if (latest.every((row, index) => row === rows.children[index])) return;
  rows.replaceChildren(...latest);
}

function toNewRow(row) {
  row.className = 'new';
  showLocalTimes(row);
  return row;
}

/** Replaces parts of the page by those of a newly loaded one. Open details and the focus stay. */
async function reload(ids) {
  const response = await fetch(location.href).catch(() => undefined);
  reloading = undefined;
  if (!response?.ok || response.redirected) return;
  const loaded = new DOMParser().parseFromString(await response.text(), 'text/html');
  showLocalTimes(loaded);
  makeFocusable(loaded);
  for (const id of ids) {
    const [old, fresh] = [part(id), loaded.getElementById(id)];
    if (!old || !fresh) continue;
    const wasOpen = [...old.querySelectorAll('details')].map(({ open }) => open);
    const focused = focusable(old).indexOf(document.activeElement);
    old.replaceChildren(...fresh.childNodes);
    for (const [index, details] of old.querySelectorAll('details').entries())
      details.open = wasOpen[index] ?? false;
    focusable(old)[focused]?.focus({ preventScroll: true });
  }
  showLiveMark();
}

function focusable(root) {
  return [...root.querySelectorAll('a, summary, [tabindex]')];
}

let events;
let isLive = false;

function showLiveMark() {
  for (const mark of document.querySelectorAll('.live-mark')) mark.hidden = !isLive;
}

function setLive(value) {
  isLive = value;
  showLiveMark();
}

function disconnect() {
  events?.close();
  events = undefined;
  setLive(false);
}

function connect() {
  // A browser opens six connections to a site at most: hidden tabs must not use them up.
  if (document.hidden) disconnect();
  else if (!events) {
    events = new EventSource(`${location.pathname.replace(/\/$/, '')}/events`);
    events.addEventListener('open', () => setLive(true));
    events.addEventListener('error', () => setLive(false));
    events.addEventListener('message', ({ data }) => showUpdate(JSON.parse(data)));
  }
}

/** A card that is taller than the window sticks at its lower end, so that its last buttons can be reached. */
function placeSide(side) {
  const gap = 16;
  const top = Math.min(gap, innerHeight - side.offsetHeight - gap);
  side.style.setProperty('--side-top', `${top}px`);
}

const side = document.querySelector('.code-side');
new ResizeObserver(() => placeSide(side)).observe(side);
addEventListener('resize', () => placeSide(side));
document.addEventListener('visibilitychange', connect);
addEventListener('pagehide', disconnect);
addEventListener('pageshow', connect);
prepareAnnouncements();
makeFocusable(document);
connect();
