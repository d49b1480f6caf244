// How long a report takes to open in a browser, and what it takes in memory.
//
//   node measure.mjs REPORT.html…

import { readFileSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { launch, listen } from './browser.mjs';

for (const file of process.argv.slice(2)) {
  const browser = await launch();
  const address = pathToFileURL(file).href;
  const { page } = await listen(browser, address);
  await page.setViewport({ width: 1280, height: 900 });
  const begun = performance.now();
  await page.goto(address, { waitUntil: 'commit' }).catch(() => page.goto(address));
  await page.waitForSelector('.matrix tbody tr');
  const visible = performance.now() - begun;
  await page.waitForSelector('html[data-ready]', { timeout: 300000 });
  const ready = performance.now() - begun;
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1);
  const steps = await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const timed = async (what) => { const from = performance.now(); await what(); await frame(); return Math.round(performance.now() - from); };
    const set = (id, value) => { const node = document.getElementById(id); node.value = value; node.dispatchEvent(new Event('input', { bubbles: true })); };
    const settled = async (wait) => { await new Promise((done) => setTimeout(done, wait)); };
    const status = document.getElementById('status');
    const sort = await timed(() => document.getElementById('sort-time').click());
    const filter = await timed(async () => { set('f-show', 'wrong'); await settled(5); });
    set('f-show', 'all');
    await settled(50);
    const search = await timed(async () => { set('f-q', 'r7/'); await settled(150); });
    const last = document.querySelector('#table tbody a');
    const trial = await timed(async () => { last.click(); while (!document.querySelector('.turn')) await settled(2); });
    return { sort, filter, search, trial, rows: status.textContent };
  });
  const { JSHeapUsedSize } = await page.metrics();
  const pid = browser.process().pid;
  console.log(JSON.stringify({ file, mib: Math.round(statSync(file).size / 2 ** 20), visible: Math.round(visible), paint: Math.round(paint), ready: Math.round(ready), heapMib: Math.round(JSHeapUsedSize / 2 ** 20), rssMib: renderers(pid), ...steps }));
  await browser.close();
}

function readLines(path) {
  return readFileSync(path, 'utf8').split('\n');
}

/** Resident memory of the browser's largest process below `parent`, on Linux. */
function renderers(parent) {
  const children = (pid) => {
    try {
      return readLines(`/proc/${pid}/task/${pid}/children`).join(' ').split(/\s+/).filter(Boolean);
    } catch {
      return [];
    }
  };
  const all = [];
  const walk = (pid) => { all.push(pid); children(pid).forEach(walk); };
  walk(parent);
  const rss = all.map((pid) => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readLines(`/proc/${pid}/status`).join('\n'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return Math.round(Math.max(...rss) / 1024);
}
