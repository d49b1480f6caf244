// Where the page is, which is all in its fragment, and the keys.

let lastOverview = 'trials';
let lastScroll = 0;
let lastHash = '';

/** The fragment as keys and values, such as `case=E1&model=m`. */
function place() {
  return new URLSearchParams(location.hash.slice(1).replaceAll('+', '%2B'));
}

function filtersAsFragment() {
  const parts = Object.entries(filters).filter(([key, value]) => value !== DEFAULTS[key]);
  return parts.map(([key, value]) => key + '=' + encodeURIComponent(value)).join('&') || 'trials';
}

function go() {
  // Two quick steps can come to one place; going there twice would lose the focus.
  if (location.hash === lastHash) return;
  lastHash = location.hash;
  const asked = place();
  if (asked.has('trial')) {
    if (byId('trial').hidden) lastScroll = window.scrollY;
    showTrial(asked.get('trial'));
    return;
  }
  const came = openTrial;
  const wasOpen = !byId('trial').hidden;
  byId('trial').hidden = true;
  byId('overview').hidden = false;
  openTrial = -1;
  document.title = TITLE;
  const named = Object.keys(DEFAULTS).some((key) => asked.has(key));
  if (named) {
    found = null;
    filters = { ...DEFAULTS };
    for (const key of Object.keys(DEFAULTS)) if (asked.has(key)) filters[key] = asked.get(key);
    showFilters();
    refresh();
  }
  if (wasOpen && came >= 0 && location.hash.slice(1) === lastOverview) {
    window.scrollTo({ top: lastScroll, behavior: 'instant' });
    turnTo(came);
    return;
  }
  lastOverview = location.hash.slice(1) || 'trials';
  if (named) byId('trials').scrollIntoView();
  else if (wasOpen && byId(lastOverview)) byId(lastOverview).scrollIntoView();
}

const TITLE = document.title;
const FIELDS = { show: 'f-show', case: 'f-case', model: 'f-model', kind: 'f-kind', clause: 'f-clause', q: 'f-q' };

function fill(id, options) {
  byId(id).replaceChildren(...options.map(([value, name]) => el('option', { value }, name)));
}

function showFilters() {
  for (const [key, id] of Object.entries(FIELDS)) byId(id).value = filters[key];
}

/** Reads the fields, and keeps what they say in the address, so that a view can be passed on. */
function readFilters() {
  for (const [key, id] of Object.entries(FIELDS)) filters[key] = byId(id).value;
  found = null;
  lastOverview = filtersAsFragment();
  history.replaceState(null, '', '#' + lastOverview);
  lastHash = location.hash;
  refresh();
}

let waiting = 0;
let searching = 0;

async function deepSearch() {
  // What was just typed must not be read once more after the search, and undo it.
  clearTimeout(waiting);
  readFilters();
  const text = byId('f-q').value.trim();
  if (!text) {
    byId('status').textContent = 'Type what to look for first.';
    byId('f-q').focus();
    return;
  }
  const mine = ++searching;
  const hits = await searchTranscripts(text, (done, all, count) => {
    if (done % 16 === 0) byId('status').textContent = 'searched ' + done + ' of ' + all + ' blocks, ' + count + ' found';
    return mine === searching;
  });
  if (hits) {
    found = hits;
    refresh();
  }
}

function wireFilters() {
  const names = (list) => list.map((name) => [name, name]);
  fill('f-show', Object.entries(SHOWS).map(([key, [name]]) => [key, name]));
  fill('f-case', [['', 'every case'], ...index.cases.map((one) => [one.label, one.label + ' ' + one.name])]);
  fill('f-model', [['', 'every model'], ...names(index.models)]);
  fill('f-kind', [['', 'every kind'], ...names([...new Set(index.cases.map((one) => one.kind).filter(Boolean))])]);
  fill('f-clause', [['', 'any or none'], ...names([...index.clauses].sort())]);
  const form = byId('filters');
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', (event) => {
    searching++;
    clearTimeout(waiting);
    waiting = setTimeout(readFilters, event.target.id === 'f-q' ? 150 : 0);
  });
  byId('f-deep').addEventListener('click', deepSearch);
  byId('f-reset').addEventListener('click', () => {
    searching++;
    filters = { ...DEFAULTS };
    showFilters();
    readFilters();
  });
  form.hidden = false;
}

function inField(node) {
  return node instanceof HTMLInputElement || node instanceof HTMLSelectElement || node instanceof HTMLTextAreaElement;
}

function moveInTable(by) {
  const links = [...byId('table').querySelectorAll('tbody a')];
  const at = links.indexOf(document.activeElement);
  if (at < 0) return false;
  const next = links[at + by];
  if (next) next.focus();
  return true;
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = inField(event.target);
  const inTrial = !byId('trial').hidden;
  const follow = (id) => {
    if (!inTrial || byId(id).hidden) return false;
    byId(id).click();
    return true;
  };
  const scrolls = event.target.classList.contains('diff');
  const done = {
    '/': () => !field && !inTrial && (byId('f-q').focus(), true),
    Escape: () => (inTrial ? follow('trial-back') : field && (event.target.blur(), true)),
    ArrowLeft: () => !field && !scrolls && follow('trial-prev'),
    ArrowRight: () => !field && !scrolls && follow('trial-next'),
    ArrowDown: () => !field && !inTrial && moveInTable(1),
    ArrowUp: () => !field && !inTrial && moveInTable(-1),
    e: () => !field && inTrial && (nextEvidence(), true),
  }[event.key];
  if (done && done()) event.preventDefault();
}

async function start() {
  try {
    readIndex(await unpack('index'));
  } catch (error) {
    byId('status').textContent = 'The trials cannot be shown: ' + error.message;
    return;
  }
  wireFilters();
  byId('table').hidden = false;
  refresh();
  byId('trial-back').addEventListener('click', (event) => {
    event.preventDefault();
    location.hash = lastOverview;
  });
  window.addEventListener('hashchange', go);
  window.addEventListener('keydown', key);
  if (location.hash) {
    go();
    // The browser went there before the table above was drawn.
    if (byId('trial').hidden && byId(lastOverview)) byId(lastOverview).scrollIntoView();
  }
  document.documentElement.setAttribute('data-ready', '');
}

start();
