// The table of trials, a page at a time: a few rows are quick whatever the run's size, and stay a real table.

const ROWS = 50;
let page = 0;

const COLUMNS = [
  ['result', 'result', 'w-result'],
  ['trial', 'trial', 'w-trial'],
  ['case', 'case', 'w-case'],
  ['why', 'why', ''],
  ['time', 'time', 'w-n'],
  ['tokens', 'tokens', 'w-n'],
];

const trialLink = (trial) => '#trial=' + encodeURIComponent(keyOf(trial)).replaceAll('%2F', '/');

function row(trial) {
  const tone = TONES[index.tone[trial]];
  const clauses = (index.failed[trial] || []).map((clause) => index.clauses[clause]);
  const why = el('td', {});
  if (clauses.length) why.append(el('code', {}, clauses.slice(0, 3).join(', ') + (clauses.length > 3 ? ', …' : '')), ' ');
  put(why, index.why[trial] || '');
  return el('tr', {},
    el('td', {}, mark(tone), ' ' + standing(trial), el('span', { class: 'unseen' }, ', ' + tone[2])),
    el('th', { scope: 'row' }, el('a', { href: trialLink(trial) }, keyOf(trial))),
    el('td', {}, caseOf(trial).name),
    why,
    el('td', { class: 'n' }, index.elapsed_ms[trial] ? duration(index.elapsed_ms[trial]) : '–'),
    el('td', { class: 'n' }, index.tokens[trial] ? thousands(index.tokens[trial]) : '–'));
}

function heading([key, name, width]) {
  const own = order.by === key;
  const sorted = own ? (order.down ? 'descending' : 'ascending') : null;
  const sign = own ? (order.down ? ' ↓' : ' ↑') : '';
  const turn = () => {
    order = { by: key, down: own && !order.down };
    refresh();
    byId('sort-' + key).focus();
  };
  const number = width === 'w-n' ? ' n' : '';
  return el('th', { scope: 'col', class: width + number, 'aria-sort': sorted },
    el('button', { id: 'sort-' + key, type: 'button', click: turn }, name, el('span', { 'aria-hidden': 'true' }, sign)));
}

function drawTable() {
  const here = shown.slice(page * ROWS, (page + 1) * ROWS);
  const head = el('thead', {}, el('tr', {}, COLUMNS.map(heading)));
  const none = el('tr', {}, el('td', { colspan: COLUMNS.length }, 'No trial is like this.'));
  const body = el('tbody', {}, here.length ? here.map(row) : none);
  byId('table').replaceChildren(el('table', {}, el('caption', { class: 'unseen' }, 'Trials'), head, body));
  drawPager();
}

function drawPager() {
  const pages = Math.ceil(shown.length / ROWS);
  const pager = byId('pager');
  pager.hidden = pages < 2;
  const turn = (name, to, key) => el('button', {
    type: 'button', id: 'page-' + key, disabled: to < 0 || to >= pages || to === page,
    click: () => {
      page = to;
      drawTable();
      tell();
      byId('table').scrollIntoView({ block: 'start' });
      const same = byId('page-' + key);
      (same.disabled ? byId('table') : same).focus({ preventScroll: true });
    },
  }, name);
  pager.replaceChildren(turn('« First', 0, 'first'), turn('‹ Previous', page - 1, 'previous'),
    el('span', {}, 'page ' + (page + 1) + ' of ' + thousands(pages)),
    turn('Next ›', page + 1, 'next'), turn('Last »', pages - 1, 'last'));
}

function tell() {
  const from = page * ROWS;
  const some = shown.length > ROWS ? ', rows ' + thousands(from + 1) + '–' + thousands(Math.min(from + ROWS, shown.length)) : '';
  const where = found ? ' with the text in their transcripts' : '';
  byId('status').textContent = thousands(shown.length) + ' of ' + thousands(cellOf.length) + ' trials' + where + some;
}

/** Filters and sorts anew, and shows the first page. */
function refresh() {
  shown = select();
  page = 0;
  drawTable();
  tell();
}

/** The page on which a trial is, so that coming back from it finds its row. */
function turnTo(trial) {
  const at = shown.indexOf(trial);
  if (at < 0) return;
  if (Math.floor(at / ROWS) !== page) {
    page = Math.floor(at / ROWS);
    drawTable();
    tell();
  }
  const links = byId('table').querySelectorAll('tbody a');
  if (links[at % ROWS]) links[at % ROWS].focus();
}
