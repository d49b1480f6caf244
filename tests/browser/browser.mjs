// The system's Chromium, driven, with an ear on everything that a page should not do.

import puppeteer from 'puppeteer-core';

const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium';

export function launch() {
  return puppeteer.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
  });
}

/** A page, and the list of what went wrong on it: dialogs, requests, errors, navigations, attacks that ran. */
export async function listen(browser, file) {
  const page = await browser.newPage();
  const wrongs = [];
  page.on('dialog', (dialog) => { wrongs.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('pageerror', (error) => wrongs.push(`error: ${error.message}`));
  page.on('console', (message) => { if (message.type() === 'error') wrongs.push(`console: ${message.text()}`); });
  page.on('request', (request) => { if (request.url().split('#')[0] !== file) wrongs.push(`request: ${request.url()}`); });
  page.on('popup', () => wrongs.push('popup'));
  page.on('framenavigated', (frame) => { if (frame.url().split('#')[0] !== file) wrongs.push(`navigated: ${frame.url()}`); });
  await page.exposeFunction('PWNED', (how) => wrongs.push(`ran: ${how}`));
  return { page, wrongs };
}

export async function open(page, address) {
  await page.goto(address, { waitUntil: 'load' });
  await page.waitForSelector('html[data-ready]', { timeout: 60000 });
}
