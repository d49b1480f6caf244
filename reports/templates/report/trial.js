// One trial: its attempts, the verdict clause by clause, and the transcript with the evidence in place.

let openTrial = -1;
let evidence = []; // marks that `e` goes through
let evidenceAt = -1;

/** The attempt that decides: the first with a verdict on the model, else the last. */
function deciding(attempts) {
  const first = attempts.findIndex((attempt) => attempt.verdict !== 'error');
  return first < 0 ? attempts.length - 1 : first;
}

const VERDICTS = { pass: ['✓', 'good'], fail: ['✗', 'bad'], error: ['!', 'open'] };

async function showTrial(key) {
  const trial = trialOf(key);
  byId('overview').hidden = true;
  byId('trial').hidden = false;
  openTrial = trial;
  [evidence, evidenceAt] = [[], -1];
  const body = byId('trial-body');
  const title = byId('trial-title');
  body.replaceChildren();
  title.replaceChildren();
  put(title, cut(key, 300));
  steps(trial);
  window.scrollTo(0, 0);
  title.focus({ preventScroll: true });
  document.title = cut(key, 300) + ' · ' + index.run + ' · Assize';
  if (trial < 0) {
    body.append(el('p', {}, 'There is no such trial in this run.'));
    return;
  }
  title.prepend(mark(TONES[index.tone[trial]]), ' ');
  try {
    const attempts = await attemptsOf(trial);
    if (openTrial !== trial) return;
    body.replaceChildren(intro(trial), ...drawAttempts(attempts));
    collectEvidence();
  } catch (error) {
    body.append(el('p', { class: 'verdict-line' }, mark(TONES[2]), ' ' + error.message));
  }
}

async function attemptsOf(trial) {
  const attempts = [];
  for (let at = firstAttempt[trial]; at < firstAttempt[trial + 1]; at++) {
    if (index.block[at] >= 0) attempts.push((await block(index.block[at]))[index.slot[at]]);
  }
  return attempts;
}

function intro(trial) {
  const one = caseOf(trial);
  const cell = 'case=' + encodeURIComponent(one.label) + '&model=' + encodeURIComponent(modelOf(trial));
  return el('p', { class: 'verdict-line' }, standing(trial) + '. ', el('span', { class: 'note' },
    one.name + (one.kind ? ' (' + one.kind + ')' : '') + ' on ', modelOf(trial), '. ', el('a', { href: '#' + cell }, 'All trials of it')));
}

function steps(trial) {
  const at = shown.indexOf(trial);
  const step = (id, to) => {
    const link = byId(id);
    link.hidden = at < 0 || to < 0 || to >= shown.length;
    if (!link.hidden) link.href = trialLink(shown[to]);
  };
  step('trial-prev', at - 1);
  step('trial-next', at + 1);
}

function drawAttempts(attempts) {
  if (!attempts.length) return [el('p', { class: 'note' }, 'There is no transcript: the trial was not run.')];
  const decides = deciding(attempts);
  return attempts.map((attempt, at) => {
    const node = drawAttempt(attempt);
    if (attempts.length === 1) return node;
    const name = 'Attempt ' + attempt.attempt + ' of ' + attempts.length;
    if (at === decides) {
      node.prepend(el('h2', {}, name + ', which decides'));
      return node;
    }
    return el('details', { class: 'attempt' }, el('summary', {}, name + ': ' + attempt.verdict), node);
  });
}

function drawAttempt(attempt) {
  targets = new Map();
  const talk = el('div', { class: 'talk' }, el('h2', {}, 'Transcript'));
  const omitted = Array.isArray(attempt.omitted) ? attempt.omitted : [];
  if (omitted.length) talk.append(el('details', { class: 'raw' }, el('summary', {}, omitted.length + ' turns that the case leaves out of what is sent'),
    omitted.map((one) => box(String(one.role) + ': ' + String(one.content ?? ''), [], -1, attempt.clauses, LONG))));
  attempt.messages.forEach((message, number) => talk.append(turn(message, number, attempt)));
  if (attempt.error) talk.append(el('p', { class: 'verdict-line' }, mark(TONES[2]), ' ', el('code', {}, cut(attempt.error.kind, 100)), ' ', put(el('span', {}), attempt.error.message)));
  if (attempt.files.length) talk.append(el('h2', {}, 'What it changed in its workspace'), ...attempt.files.map((file) => fileBox(file, attempt)));
  const { load, ...more } = attempt.more;
  if (Object.keys(more).length) talk.append(el('details', { class: 'raw' }, el('summary', {}, 'Other fields of the record'),
    box(JSON.stringify(more, null, 1), [], -1, attempt.clauses, LONG)));
  return el('div', { class: 'attempt' }, el('div', { class: 'split' }, talk, side(attempt)));
}

function side(attempt) {
  const verdict = VERDICTS[attempt.verdict] || VERDICTS.error;
  const own = targets;
  const node = el('div', { class: 'side', role: 'region', 'aria-label': 'Verdict', tabindex: '0' },
    el('h2', {}, 'Verdict'),
    el('p', { class: 'verdict-line' }, mark(verdict), ' ' + attempt.verdict + ' by ', el('code', {}, attempt.checker)));
  if (attempt.reason) node.append(put(el('p', { class: 'note' }), cut(attempt.reason, 2000)));
  if (attempt.clauses.length) node.append(el('ul', { class: 'clauses' }, attempt.clauses.map((clause, number) => clauseBox(clause, number, own))));
  const wide = window.matchMedia('(min-width: 60rem)').matches;
  node.append(el('details', { open: wide }, el('summary', {}, 'About this attempt'), facts(attempt)));
  return node;
}

function clauseBox(clause, number, own) {
  const node = el('li', { class: clause.passed ? '' : 'bad' },
    el('p', {}, mark(clause.passed ? VERDICTS.pass : VERDICTS.fail), ' ', el('b', {}, clause.id), clause.passed ? ' holds' : ' does not hold'),
    clause.says ? el('p', { class: 'says' }, clause.says) : null,
    put(el('p', {}), cut(clause.reason, 1000)));
  if (clause.evidence.length) {
    const seen = new Map();
    node.append(el('div', { class: 'found' }, clause.evidence.slice(0, 40).map((place) => {
      const key = place.call === null ? place.message + ':' + number : place.message + '/' + place.call;
      const nth = seen.get(key) || 0;
      seen.set(key, nth + 1);
      const marks = own.get(key) || own.get(place.message + ':') || [];
      const button = el('button', { type: 'button', click: () => reveal(marks[Math.min(nth, marks.length - 1)]) }, 'message ' + place.message + ': ');
      return put(button, cut(place.text.replace(/\s+/g, ' '), 60) || '(the whole)');
    })));
  }
  return node;
}

function facts(attempt) {
  const list = el('dl', {});
  const add = (name, text) => {
    if (text !== null && text !== undefined && text !== '') list.append(el('dt', {}, name), put(el('dd', {}), cut(String(text), 600)));
  };
  const usage = attempt.usage;
  add('tokens', usage && thousands(usage.input) + ' in' + (usage.cached ? ' (' + thousands(usage.cached) + ' cached)' : '') + ', '
    + thousands(usage.output) + ' out' + (usage.reasoning ? ' (' + thousands(usage.reasoning) + ' reasoning)' : ''));
  add('time', attempt.elapsed_ms !== null && duration(attempt.elapsed_ms) + (attempt.started ? ', from ' + attempt.started : ''));
  add('retries', attempt.retries || '');
  add('last reply ended with', attempt.stop);
  add('answered as', [...new Set(attempt.served.map((one) => [one.model, one.fingerprint, one.tier].filter(Boolean).join(', ')))].filter(Boolean).join('; '));
  add('sampling, as sent', attempt.decoding && Object.keys(attempt.decoding).length ? JSON.stringify(attempt.decoding) : '');
  const load = attempt.more.load;
  add('charter', load && load.verdict + ': ' + load.how);
  add('parameters of the row', Object.keys(attempt.params).length ? JSON.stringify(attempt.params) : '');
  add('tools offered', attempt.tools.join(', '));
  add('transcript', 'transcripts.jsonl, line ' + attempt.line);
  add('sha256 of the line', attempt.sha256);
  add('sha256 of the checker', attempt.checker_sha256);
  return list;
}

/** Brings evidence into view, unfolded. */
function reveal(node) {
  if (!node) return;
  const folded = node.closest('.folded');
  if (folded && folded.unfold) folded.unfold();
  node.scrollIntoView({ block: 'center' });
  node.focus({ preventScroll: true });
}

function collectEvidence() {
  const all = [...byId('trial-body').querySelectorAll('mark, .call.lit')];
  const bad = all.filter((node) => node.classList.contains('bad'));
  evidence = bad.length ? bad : all;
}

function nextEvidence() {
  if (!evidence.length) return;
  evidenceAt = (evidenceAt + 1) % evidence.length;
  reveal(evidence[evidenceAt]);
}
