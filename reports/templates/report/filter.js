// The index of trials, column by column, and which of them are shown.

let index;
let cellOf; // by trial: its cell
let firstAttempt; // by trial: where its attempts begin
let found = null; // trials in whose transcripts the text was found, when they were searched

const DEFAULTS = { show: 'all', case: '', model: '', kind: '', clause: '', q: '' };
let filters = { ...DEFAULTS };
let order = { by: 'trial', down: false };
let shown = []; // the trials that are shown, in order

function readIndex(columns) {
  index = columns;
  const trials = index.trial.length;
  cellOf = new Int32Array(trials);
  firstAttempt = new Int32Array(trials + 1);
  let at = 0;
  index.cell_trials.forEach((count, cell) => {
    for (let end = at + count; at < end; at++) cellOf[at] = cell;
  });
  for (let trial = 0; trial < trials; trial++) firstAttempt[trial + 1] = firstAttempt[trial] + index.attempts[trial];
}

const caseOf = (trial) => index.cases[index.cell_case[cellOf[trial]]];
const modelOf = (trial) => index.models[index.cell_model[cellOf[trial]]];

function cellKey(cell) {
  return index.cases[index.cell_case[cell]].label + '/r' + index.cell_row[cell] + '/' + index.models[index.cell_model[cell]];
}

const keyOf = (trial) => cellKey(cellOf[trial]) + '/t' + index.trial[trial];

/** The trial of a key such as `E1/r1/m/t2`; -1 when there is none. */
function trialOf(key) {
  const at = key.lastIndexOf('/t');
  const [cell, number] = [key.slice(0, at), Number(key.slice(at + 2))];
  let first = 0;
  for (let one = 0; one < index.cell_trials.length; one++) {
    if (cellKey(one) === cell) {
      for (let trial = first; trial < first + index.cell_trials[one]; trial++) if (index.trial[trial] === number) return trial;
      return -1;
    }
    first += index.cell_trials[one];
  }
  return -1;
}

const SHOWS = {
  all: ['every trial', () => true],
  wrong: ['not as it should be', (trial) => index.tone[trial] === 1],
  open: ['without a verdict', (trial) => index.tone[trial] === 2],
  failed: ['failed', (trial) => index.standing[trial] === 1],
  passed: ['passed', (trial) => index.standing[trial] === 0],
  flaky: ['flaky cells', (trial) => index.cell_state[cellOf[trial]] === 'flaky'],
  error: ['errors', (trial) => index.standing[trial] === 2],
  'not-run': ['not run', (trial) => index.standing[trial] === 3],
  retried: ['retried', (trial) => index.retries[trial] > 0 || index.attempts[trial] > 1],
};

function words(trial) {
  const clauses = (index.failed[trial] || []).map((clause) => index.clauses[clause]);
  return (keyOf(trial) + ' ' + caseOf(trial).name + ' ' + clauses.join(' ') + ' ' + (index.why[trial] || '')).toLowerCase();
}

/** The trials that the filters let through, in the chosen order. */
function select() {
  const show = (SHOWS[filters.show] || SHOWS.all)[1];
  const clause = index.clauses.indexOf(filters.clause);
  const sought = filters.q.toLowerCase().split(/\s+/).filter(Boolean);
  const cells = index.cell_trials.map((_, cell) => {
    const one = index.cases[index.cell_case[cell]];
    return (!filters.case || one.label === filters.case) && (!filters.kind || one.kind === filters.kind)
      && (!filters.model || index.models[index.cell_model[cell]] === filters.model);
  });
  const through = [];
  for (let trial = 0; trial < cellOf.length; trial++) {
    if (!cells[cellOf[trial]] || !show(trial)) continue;
    if (filters.clause && !(index.failed[trial] || []).includes(clause)) continue;
    if (found ? !found.has(trial) : sought.length && !holds(trial, sought)) continue;
    through.push(trial);
  }
  return sort(through);
}

function holds(trial, sought) {
  const text = words(trial);
  return sought.every((word) => text.includes(word));
}

/** What each column sorts by; equal ones stay in the order of the plan. */
const KEYS = {
  result: (trial) => [1, 2, 0][index.tone[trial]] * 4 + index.standing[trial],
  trial: (trial) => trial,
  case: (trial) => index.cell_case[cellOf[trial]],
  why: (trial) => (index.failed[trial] || [index.clauses.length])[0],
  time: (trial) => index.elapsed_ms[trial],
  tokens: (trial) => index.tokens[trial],
};

function sort(trials) {
  if (order.by === 'trial') return order.down ? trials.reverse() : trials;
  const keys = new Float64Array(cellOf.length);
  for (const trial of trials) keys[trial] = KEYS[order.by](trial);
  const sign = order.down ? -1 : 1;
  return trials.sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
}

/** Looks for the text in every transcript, a block at a time; `told` hears how far it is and may say stop. */
async function searchTranscripts(text, told) {
  const sought = text.toLowerCase();
  const owner = new Map();
  for (let trial = 0; trial < cellOf.length; trial++) {
    for (let at = firstAttempt[trial]; at < firstAttempt[trial + 1]; at++) owner.set(index.block[at] + '.' + index.slot[at], trial);
  }
  const hits = new Set();
  for (let number = 0; number < index.blocks; number++) {
    const entries = await unpack('block-' + number);
    entries.forEach((entry, slot) => {
      if (entry.messages.some((message) => isIn(message, sought))) hits.add(owner.get(number + '.' + slot));
    });
    if (!told(number + 1, index.blocks, hits.size)) return null;
  }
  return hits;
}

function isIn(message, sought) {
  return message.text.toLowerCase().includes(sought)
    || message.calls.some((call) => JSON.stringify(call.arguments).toLowerCase().includes(sought) || call.name.toLowerCase().includes(sought));
}
