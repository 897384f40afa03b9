// The page of a code, kept up to date while it is open and in view. Without this it shows how things were when it was opened.

const totals = document.getElementById('totals');
const chart = document.getElementById('timeline');
const table = document.getElementById('scans');
const news = document.getElementById('live');
const rows = table.querySelector('tbody[data-live]');
const rowsAPage = 20;
const figure = (value) => value.toLocaleString('en');
let ever;

function showState(state) {
  document.getElementById('total-scans').textContent = figure(state.periods[totals.dataset.days]);
  document.getElementById('total-today').textContent = figure(state.today);
  showToday(state);
  if (rows) showLatest(state.latest);
  if (ever !== undefined && state.ever > ever) {
    const more = state.ever - ever;
    news.textContent = `${more} new ${more === 1 ? 'scan' : 'scans'}`;
  }
  ever = state.ever;
}

function showToday({ date, today }) {
  // After midnight the bars are those of yesterday, until the page is opened again.
  if (date !== chart.dataset.date) return;
  const bars = [...chart.querySelectorAll('rect')];
  const last = bars.at(-1);
  const scans = Number(chart.dataset.rest) + today;
  last.dataset.scans = scans;
  const title = last.querySelector('title');
  title.textContent = title.textContent.replace(/\d+$/, scans);
  const most = Math.max(1, ...bars.map((bar) => Number(bar.dataset.scans)));
  for (const bar of bars) {
    const height = (Number(bar.dataset.scans) / most) * 100;
    bar.setAttribute('height', height);
    bar.setAttribute('y', 100 - height);
  }
  document.getElementById('timeline-most').textContent = figure(most);
  document.querySelector('#days td').textContent = figure(today);
}

function showLatest(latest) {
  const shown = new Map([...rows.children].map((row) => [row.dataset.scan, row]));
  const wanted = latest.map((scan) => shown.get(scan.id) ?? rowOf(scan));
  if (wanted.every((row, place) => row === rows.children[place])) return;
  rows.replaceChildren(...wanted.slice(0, rowsAPage));
  table.hidden = wanted.length === 0;
  document.getElementById('none-yet').hidden = wanted.length > 0;
}

function rowOf(scan) {
  const row = document.createElement('tr');
  row.dataset.scan = scan.id;
  row.className = 'new';
  const time = document.createElement('time');
  time.dateTime = scan.at;
  time.title = `${scan.at.slice(0, 10)} ${scan.at.slice(11, 16)} UTC`;
  time.textContent = new Date(scan.at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  const head = document.createElement('th');
  head.scope = 'row';
  head.append(time);
  row.append(head, cell('Place', scan.place), cell('Device', scan.device));
  row.append(cell('Browser', scan.browser), cell('System', scan.os));
  return row;
}

function cell(label, text) {
  const made = document.createElement('td');
  made.dataset.label = label;
  const words = document.createElement('bdi');
  words.textContent = text;
  made.append(words);
  return made;
}

let events;
function follow() {
  // A browser keeps six connections to a site: pages in the background must not hold them all.
  if (document.hidden) {
    events?.close();
    events = undefined;
  } else if (!events) {
    events = new EventSource(`${location.pathname.replace(/\/$/, '')}/events`);
    events.addEventListener('message', ({ data }) => showState(JSON.parse(data)));
  }
}
document.addEventListener('visibilitychange', follow);
addEventListener('pagehide', () => {
  events?.close();
  events = undefined;
});
addEventListener('pageshow', follow);
follow();
