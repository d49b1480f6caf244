'use strict';
// What all parts share. Text of models only ever becomes text nodes: nothing here, or in any part, parses markup.

const byId = (id) => document.getElementById(id);

/** An element with attributes and children; strings become text nodes. */
function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') node.addEventListener(key, value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

/** Characters that control, turn or hide text. A joiner between emoji is left alone. */
const HIDDEN = /(?:[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb]|\r(?!\n)|\u200d(?!\p{Extended_Pictographic})|[\u{e0000}-\u{e007f}])+/gu;

/** How many codes of a run of hidden characters are written out. */
const CODES = 6;

/** Appends text as it is, with what would hide in it shown by its code. */
function put(node, text) {
  let from = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found.index > from) node.append(text.slice(from, found.index));
    const codes = [...found[0]];
    const shown = codes.slice(0, CODES).map((c) => 'U+' + c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0'));
    if (codes.length > CODES) shown.push('× ' + codes.length);
    node.append(el('span', { class: 'ctl' }, shown.join(' ')));
    from = found.index + found[0].length;
  }
  if (from < text.length) node.append(text.slice(from));
  return node;
}

/** A text cut to so many characters, never in the middle of one. */
function cut(text, most) {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1]) ? most - 1 : most;
  return text.slice(0, end) + '…';
}

function thousands(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

function duration(ms) {
  if (ms < 1000) return ms + ' ms';
  if (ms < 60000) return (ms / 1000).toFixed(1) + ' s';
  return ms < 3600000 ? (ms / 60000).toFixed(1) + ' min' : (ms / 3600000).toFixed(1) + ' h';
}

/** A mark that needs no colour, its class and its words: 0 good, 1 bad, 2 open, as the index has them. */
const TONES = [['✓', 'good', 'as it should be'], ['✗', 'bad', 'not as it should be'], ['!', 'open', 'without a verdict']];
const STANDINGS = ['passed', 'failed', 'error', 'not run'];

/** How a trial stands, in words; a control arm that must fail turns what is right around. */
function standing(trial) {
  const [plain, tone] = [STANDINGS[index.standing[trial]], index.tone[trial]];
  if (index.standing[trial] === 1 && tone === 0) return plain + ', as it must';
  return index.standing[trial] === 0 && tone === 1 ? plain + ', and must not' : plain;
}

function mark([sign, name]) {
  return el('span', { class: 'mark ' + name, 'aria-hidden': 'true' }, sign);
}
