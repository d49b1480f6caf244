// A message with its evidence marked, its calls, and long texts folded.

/** Longer texts are folded; a model's own words are what one came for, and are given more room. */
const LONG = 1800;
const LONG_OWN = 6000;
/** More than this of one text is only put into the page on demand. */
const VAST = 200000;

/** What an attempt's evidence buttons lead to: elements by message and clause, and by message and call. */
let targets = new Map();

function register(key, node) {
  if (!targets.has(key)) targets.set(key, []);
  targets.get(key).push(node);
}

/** Appends `text` from `from` to `to`, evidence marked. Marks are in units of UTF-16 and do not overlap. */
function putMarked(node, text, from, to, marks, message, clauses) {
  let at = from;
  for (const piece of marks) {
    if (piece.end <= from || piece.start >= to) continue;
    const [start, end] = [Math.max(piece.start, from), Math.min(piece.end, to)];
    put(node, text.slice(at, start));
    const bad = piece.clauses.some((clause) => !clauses[clause].passed);
    const label = piece.clauses.map((clause) => (clauses[clause].passed ? '✓ ' : '✗ ') + clauses[clause].id).join(', ');
    const marked = put(el('mark', { class: bad ? 'bad' : '', tabindex: '-1', 'data-clauses': piece.clauses.join(' ') }), text.slice(start, end));
    node.append(marked, el('span', { class: 'label' }, label));
    for (const clause of piece.clauses) register(message + ':' + clause, marked);
    at = end;
  }
  put(node, text.slice(at, to));
}

/** A box of text, folded when it is long. */
function box(text, marks, message, clauses, long) {
  const inner = el('div', { class: 'text' + (text ? '' : ' empty') });
  const outer = el('div', {}, inner);
  if (!text) inner.append('no text');
  const last = marks.length ? marks[marks.length - 1].end : 0;
  const first = text.length > VAST ? Math.max(VAST, last) : text.length;
  putMarked(inner, text, 0, first, marks, message, clauses);
  if (first < text.length) {
    outer.append(el('button', {
      class: 'unfold', type: 'button',
      click: (event) => { putMarked(inner, text, first, text.length, [], message, clauses); event.target.remove(); },
    }, 'Show the other ' + thousands(text.length - first) + ' characters'));
  }
  const bad = marks.some((piece) => piece.clauses.some((clause) => !clauses[clause].passed));
  if (text.length > long || text.split('\n', 40).length > (long > LONG ? 120 : 30)) fold(outer, !bad);
  return outer;
}

function fold(outer, folded) {
  const button = el('button', { class: 'unfold', type: 'button' });
  const set = (now) => {
    folded = now;
    outer.classList.toggle('folded', folded);
    button.setAttribute('aria-expanded', String(!folded));
    button.textContent = folded ? 'Show all' : 'Fold';
  };
  button.addEventListener('click', () => set(!folded));
  outer.append(button);
  outer.unfold = () => set(false);
  set(folded);
}

const WHO = {
  system: ['charter', 'script'],
  user: ['user', 'script'],
  tool: ['tool', 'tool'],
};

function turn(message, number, attempt) {
  const own = message.by === 'model';
  const [who, kind] = own ? ['model', 'model'] : WHO[message.role] || ['assistant', 'script'];
  const told = message.by === 'script' ? 'scripted' : own ? 'the one on trial' : message.is_error ? '✗ the tool failed' : '';
  const name = message.name ? put(el('code', {}), cut(message.name, 200)) : null;
  const head = el('h3', {}, el('span', {}, who), name, told && el('span', { class: 'note' }, told), el('small', {}, 'message ' + number));
  const node = el('article', { class: 'turn ' + kind, tabindex: '-1' }, head);
  register(number + ':', node);
  if (message.text || !message.calls.length) node.append(box(message.text, message.marks, number, attempt.clauses, own ? LONG_OWN : LONG));
  if (message.role === 'system' && message.text === '<charter>' && attempt.charter_sha256) {
    node.append(el('p', { class: 'note text' }, 'The part of the charter that is loaded stands here, sha256 ' + attempt.charter_sha256 + '; its text is in inputs/charter.md of the run.'));
  }
  message.calls.forEach((call, which) => node.append(callBox(call, number, which, attempt)));
  return node;
}

function callBox(call, message, which, attempt) {
  const labels = call.clauses.map((clause) => (attempt.clauses[clause].passed ? '✓ ' : '✗ ') + attempt.clauses[clause].id);
  const name = put(el('span', { class: 'name' }), cut(call.name, 200));
  const bad = call.clauses.some((clause) => !attempt.clauses[clause].passed);
  const node = el('div', { class: 'call' + (labels.length ? ' lit' : '') + (bad ? ' bad' : ''), tabindex: '-1' },
    el('p', {}, '→ calls ', name, labels.length ? el('span', { class: 'label' }, labels.join(', ')) : null));
  register(message + '/' + which, node);
  const given = call.arguments;
  if (given && typeof given === 'object' && !Array.isArray(given)) {
    const list = el('dl', {});
    for (const [key, value] of Object.entries(given)) {
      const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
      list.append(put(el('dt', {}), cut(key, 100)), el('dd', {}, box(text, [], message, attempt.clauses, LONG)));
    }
    node.append(list);
  } else if (given !== null && given !== undefined) {
    const text = typeof given === 'string' ? given : JSON.stringify(given, null, 1);
    node.append(el('p', { class: 'note' }, 'the arguments are no object:'), box(text, [], message, attempt.clauses, LONG));
  }
  return node;
}

/** A file that the trial changed: its diff, or its content. */
function fileBox(file, attempt) {
  const node = el('article', { class: 'file' }, el('h3', {}, put(el('code', {}), file.path), ' ' + file.change));
  if (typeof file.diff !== 'string') {
    node.append(file.content ? box(file.content, [], -1, attempt.clauses, LONG) : el('p', { class: 'text empty' }, 'not text'));
    return node;
  }
  const lines = cut(file.diff, VAST).split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  const kinds = { '+': 'add', '-': 'del', '@': 'at' };
  const drawn = lines.map((line) => put(el('div', { class: line.startsWith('+++') || line.startsWith('---') ? 'at' : kinds[line[0]] || '' }), line));
  const outer = el('div', {}, el('div', { class: 'diff', tabindex: '0', role: 'region', 'aria-label': 'Diff of ' + cut(file.path, 80) }, drawn));
  if (lines.length > 60) fold(outer, true);
  node.append(outer);
  return node;
}
