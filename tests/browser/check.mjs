// Opens a hostile report in a real browser and checks that it is shown, harmless, accessible and usable by keyboard.
//
//   npm ci && node check.mjs [path of the binary]

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch, listen, open } from './browser.mjs';
import { ATTACKS, hostileReport } from './hostile.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const assize = resolve(process.argv[2] || new URL('../../target/debug/assize', import.meta.url).pathname);
const file = await hostileReport(assize);
const address = pathToFileURL(file).href;
console.log(`report: ${file}`);
const browser = await launch();
const { page, wrongs } = await listen(browser, address);
const shotsTo = process.env.SHOTS;

async function shoot(name, options = {}) {
  if (shotsTo) await page.screenshot({ path: `${shotsTo}/${name}.png`, ...options });
}

/** Without motion: a click must not aim at what is still moving. */
function prefer(scheme) {
  return page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }, { name: 'prefers-reduced-motion', value: 'reduce' }]);
}

async function goTo(fragment) {
  await page.evaluate((to) => { location.hash = to; }, fragment);
  const trial = new URLSearchParams(fragment).get('trial');
  await page.waitForFunction((key) => (key === null
    ? document.getElementById('trial').hidden
    : document.getElementById('trial-title').textContent.endsWith(key) && document.querySelector('#trial-body .attempt')), {}, trial);
}

async function axe(what) {
  // The page's policy lets nothing in but its own script; axe comes in through the debugger, in a world of its own.
  const found = await page.evaluate(`(() => { ${AXE}; return axe.run(document, { resultTypes: ['violations'] }); })()`);
  const told = found.violations.map((one) => `${one.id}: ${one.help}\n    ${one.nodes.slice(0, 4).map((node) => `${node.html.slice(0, 160)} ${node.any.map((a) => a.message).join('; ')}`).join('\n    ')}`);
  assert.deepEqual(told, [], `axe, ${what}:\n${told.join('\n')}`);
  console.log(`axe, ${what}: no violations, ${found.passes.length} rules passed`);
}

/** Every attack is on the page as text, at its trial, and did nothing. */
async function attacks() {
  for (const [number, attack] of ATTACKS.entries()) {
    await goTo(`trial=W1/r${number + 1}/small/t1`);
    const shown = await page.evaluate(() => [...document.querySelectorAll('.turn.model .text')].map((node) => node.textContent).join('\n'));
    const plain = (text) => text.replace(/[^\x20-\x7e]|U\+[0-9A-F]{4,5}|× \d+| /g, '');
    assert.ok(plain(shown).includes(plain(attack)), `attack ${number} is shown: ${attack.slice(0, 60)}`);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).display), 'block');
  }
  const strangers = await page.evaluate(() => document.querySelectorAll('#trial-body :is(script,style,link,iframe,img,form,base,meta,object,embed,a[href^="javascript"])').length);
  assert.equal(strangers, 0);
  console.log(`attacks: ${ATTACKS.length} shown as text`);
}

/** What hides is shown by its code. */
async function hiddenCharacters() {
  const at = ATTACKS.findIndex((attack) => attack.includes('\u202e')) + 1;
  await goTo(`trial=W1/r${at}/small/t1`);
  const text = await page.evaluate(() => document.getElementById('trial-body').textContent);
  for (const code of ['U+202E', 'U+200B', 'U+E0041 U+E0042']) assert.ok(text.includes(code), code);
  assert.ok(!/[\u202a-\u202e\u2066-\u2069\u200b]/.test(text));
}

/** Marks hold just the text that the clause's evidence is. */
async function evidence() {
  const at = ATTACKS.length;
  await goTo(`trial=W1/r${at}/small/t2`);
  const marks = await page.evaluate(() => [...document.querySelectorAll('.turn.model mark')].map((node) => node.textContent));
  assert.ok(marks.includes('👩') || marks.some((text) => /^(piano|please)$/i.test(text)), `marks: ${marks}`);
  await page.keyboard.press('e');
  assert.ok(await page.evaluate(() => document.activeElement.matches('mark, .call')), 'e goes to evidence');
}

/** A trial that was attempted twice shows both, and which of them decides. */
async function attempts() {
  await goTo('show=retried');
  await page.waitForFunction(() => /^1 of/.test(document.getElementById('status').textContent));
  await page.click('#table tbody a');
  await page.waitForSelector('#trial-body > details.attempt');
  const [first, second] = await page.$$eval('#trial-body > .attempt', (all) => all.map((node) => node.textContent));
  assert.ok(first.startsWith('Attempt 1 of 2: error') && first.includes('http-status') && first.includes(ATTACKS[0]), first);
  assert.ok(second.startsWith('Attempt 2 of 2, which decides'), second);
  await axe('trial of two attempts');
  await goTo('trials');
  await page.click('#f-reset');
}

async function keyboard() {
  await goTo('trials');
  await page.keyboard.press('/');
  await page.keyboard.type('r2/small');
  await page.waitForFunction(() => /^3 of/.test(document.getElementById('status').textContent));
  await page.keyboard.press('Escape');
  await page.focus('#table tbody a');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'W1/r2/small/t2');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.turn');
  assert.match(page.url(), /#trial=W1\/r2\/small\/t2$/);
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.getElementById('trial-title').textContent.endsWith('t3'));
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.getElementById('trial').hidden);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'W1/r2/small/t3', 'back at the row');
  console.log('keyboard: search, rows, open, next, back');
}

async function filters() {
  await goTo('show=wrong&model=small');
  const wrong = await page.evaluate(() => document.getElementById('status').textContent);
  await page.select('#f-show', 'failed');
  const failed = await page.evaluate(() => document.getElementById('status').textContent);
  assert.equal(wrong, failed);
  assert.match(page.url(), /show=failed&model=small/);
  await page.click('#f-reset');
  await page.type('#f-q', 'attacker.example.test');
  await page.click('#f-deep');
  await page.waitForFunction(() => /with the text in their transcripts/.test(document.getElementById('status').textContent));
  const many = await page.evaluate(() => document.getElementById('status').textContent);
  const holding = ATTACKS.filter((attack) => attack.includes('attacker.example.test')).length;
  assert.ok(many.startsWith(`${holding * 6} of`), many);
  console.log(`filters and search: ${failed}; ${many}`);
}

/** Nothing that carries meaning needs a script. */
async function withoutScript() {
  const { page: plain } = await listen(browser, address);
  await plain.setJavaScriptEnabled(false);
  await plain.goto(address);
  const text = await plain.evaluate(() => document.body.innerText).catch(() => '');
  const markup = text || await plain.$eval('body', (body) => body.innerText);
  for (const words of ['No release', 'Cases × models', 'Not as it should be', 'need a script']) assert.ok(markup.includes(words), words);
  assert.equal(await plain.$$eval('svg.strip', (all) => all.length > 3), true);
  await plain.close();
  console.log('without script: answer, matrix, charts and failures are there');
}

/** The policy holds even for what would be in the page itself. */
async function policy() {
  const blocked = await page.evaluate(() => new Promise((done) => {
    const seen = [];
    addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
    const add = (name, set) => { const node = document.createElement(name); set(node); document.body.append(node); };
    add('img', (node) => { node.src = 'http://127.0.0.1:9/x.png'; });
    add('style', (node) => { node.textContent = 'body{display:none}'; });
    let parsed = 'parsed';
    try { document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); } catch { parsed = 'refused'; }
    setTimeout(() => done([...new Set(seen), parsed]), 300);
  }));
  for (const what of ['img-src', 'style-src-elem', 'refused']) assert.ok(blocked.includes(what), `${what}: ${blocked}`);
  console.log(`policy: ${blocked.join(', ')}`);
}

try {
  await page.setViewport({ width: 1280, height: 900 });
  for (const scheme of ['light', 'dark']) {
    await prefer(scheme);
    await open(page, address);
    await axe(`overview, ${scheme}`);
    await shoot(`overview-${scheme}`, { fullPage: true });
    await goTo('trial=W1/r1/small/t1');
    await axe(`trial, ${scheme}`);
    await shoot(`trial-${scheme}`, { fullPage: true });
    await page.setViewport({ width: 390, height: 800 });
    await shoot(`trial-narrow-${scheme}`);
    await goTo('trials');
    await axe(`narrow, ${scheme}`);
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
    await shoot(`overview-narrow-${scheme}`, { fullPage: true });
    await page.setViewport({ width: 1280, height: 900 });
  }
  await prefer('light');
  await attacks();
  await hiddenCharacters();
  await evidence();
  await attempts();
  await keyboard();
  await filters();
  await withoutScript();
  assert.deepEqual(wrongs, [], `the page did what it should not:\n${wrongs.join('\n')}`);
  console.log('no dialog, request, error or navigation');
  await policy();
} finally {
  await browser.close();
}
