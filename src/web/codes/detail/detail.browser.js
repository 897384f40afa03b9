// The page of a code, kept up to date while it is open and in view. Without this it shows how things were when it was opened.

import { showLocalTime, showLocalTimes } from '../../ui/app.browser.js';
import '../star.browser.js';
import { makeReadable } from './chart.browser.js';

const part = (id) => document.getElementById(id);
const rowsAPage = 20;
const figure = (value) => value.toLocaleString('en');
const shortFrom = 1_000_000;
const short = Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const renewPauseMs = 2_000;
const renewed = ['chart', 'rankings', 'total-countries', 'total-cities', 'scan-pages'];
let ever;
let renewing;

function showState(state) {
  const more = ever === undefined ? 0 : state.ever - ever;
  const isFirst = ever === undefined;
  ever = state.ever;
  if (more > 0) part('live').textContent = `${figure(more)} new ${more === 1 ? 'scan' : 'scans'}`;
  if (part('no-scans')) {
    // The first scan: instead of words there are charts now.
    if (state.ever > 0) void renew(['code-scans']);
    return;
  }
  const { days, scans } = part('totals').dataset;
  // The page may have been opened long before anybody looked at it.
  const isStale = isFirst && state.periods[days] !== Number(scans);
  part('total-scans').replaceChildren(shortFigure(state.periods[days]));
  part('total-today').replaceChildren(shortFigure(state.today));
  const rows = document.querySelector('#scans tbody[data-live]');
  if (rows) showLatest(rows, state.latest);
  if (more > 0 || isStale) renewing ??= setTimeout(() => void renew(renewed), renewPauseMs);
}

/** As the page shows it when it is opened. */
function shortFigure(value) {
  if (value < shortFrom) return figure(value);
  const [whole, seen, heard] = ['span', 'span', 'span'].map((name) => document.createElement(name));
  whole.title = figure(value);
  seen.ariaHidden = 'true';
  seen.textContent = short.format(value);
  heard.className = 'unseen';
  heard.textContent = figure(value);
  whole.append(seen, heard);
  return whole;
}

/** Parts of the page as they would be if it were opened now; what is unfolded and what has the focus stays so. */
async function renew(ids) {
  const answer = await fetch(location.href).catch(() => undefined);
  renewing = undefined;
  if (!answer?.ok || answer.redirected) return;
  const opened = new DOMParser().parseFromString(await answer.text(), 'text/html');
  showLocalTimes(opened);
  makeReadable(opened);
  for (const id of ids) {
    const [old, fresh] = [part(id), opened.getElementById(id)];
    if (!old || !fresh) continue;
    const unfolded = [...old.querySelectorAll('details')].map(({ open }) => open);
    const focused = stops(old).indexOf(document.activeElement);
    old.replaceChildren(...fresh.childNodes);
    for (const [place, details] of old.querySelectorAll('details').entries())
      details.open = unfolded[place] ?? false;
    stops(old)[focused]?.focus({ preventScroll: true });
  }
  showMark();
}

function stops(within) {
  return [...within.querySelectorAll('a, summary, [tabindex]')];
}

function showLatest(rows, latest) {
  const shown = new Map([...rows.children].map((row) => [row.dataset.scan, row]));
  const wanted = latest.map((scan) => shown.get(scan.id) ?? rowOf(scan));
  if (wanted.every((row, place) => row === rows.children[place])) return;
  rows.replaceChildren(...wanted.slice(0, rowsAPage));
}

function rowOf(scan) {
  const row = document.createElement('tr');
  row.dataset.scan = scan.id;
  row.className = 'new';
  const time = document.createElement('time');
  time.dateTime = scan.at;
  time.dataset.moment = 'bare';
  showLocalTime(time);
  const head = document.createElement('th');
  head.scope = 'row';
  head.append(time);
  row.append(head, ...[scan.place, scan.device, scan.browser, scan.os].map(cell));
  return row;
}

function cell(text) {
  const made = document.createElement('td');
  const words = document.createElement('bdi');
  words.textContent = text;
  made.append(words);
  return made;
}

let events;
let isLive = false;

function showMark() {
  for (const mark of document.querySelectorAll('.live-mark')) mark.hidden = !isLive;
}

function setLive(value) {
  isLive = value;
  showMark();
}

function leave() {
  events?.close();
  events = undefined;
  setLive(false);
}

function follow() {
  // A browser keeps six connections to a site: pages in the background must not hold them all.
  if (document.hidden) leave();
  else if (!events) {
    events = new EventSource(`${location.pathname.replace(/\/$/, '')}/events`);
    events.addEventListener('open', () => setLive(true));
    events.addEventListener('error', () => setLive(false));
    events.addEventListener('message', ({ data }) => showState(JSON.parse(data)));
  }
}
/** A card that is taller than the window sticks at its end, so that its last buttons can be reached. */
function keepInView(side) {
  const gap = 16;
  const top = Math.min(gap, innerHeight - side.offsetHeight - gap);
  side.style.setProperty('--side-top', `${top}px`);
}

const side = document.querySelector('.code-side');
new ResizeObserver(() => keepInView(side)).observe(side);
addEventListener('resize', () => keepInView(side));
document.addEventListener('visibilitychange', follow);
addEventListener('pagehide', leave);
addEventListener('pageshow', follow);
makeReadable(document);
follow();
