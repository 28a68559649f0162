// Walks the console as an operator would, in the Chromium that is installed: logs in, opens each page,
// changes a setting, and looks at all of it again without scripts, at the width of a phone, and in the
// dark. axe-core looks at each page in each of these. Prints one line of JSON for each thing it tried:
// {"flow": ..., "ok": ..., "why": ...}, and what axe ran.
//
//   console.mjs BASE TOKEN JOBS [FOLDER [QUICK]]
//     JOBS     job ids, separated by commas: the first is shown in the screenshots
//     FOLDER   where screenshots go; '-' for none
//     QUICK    'quick': light and wide only
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const [, , base, token, jobs, folder = '-', speed = 'whole'] = process.argv;
const [job, failing] = jobs.split(',');
const axeSource = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) =>
  fs.existsSync(file),
);

const say = (line) => console.log(JSON.stringify(line));
const must = (condition, why) => {
  if (!condition) throw new Error(why);
};
async function flow(name, work) {
  try {
    await work();
    say({ flow: name, ok: true });
  } catch (error) {
    say({ flow: name, ok: false, why: String(error.message ?? error).slice(0, 600) });
  }
}

const pages = [
  ['overview', '/console'],
  ['requests', '/console/requests'],
  ['request', `/console/requests/${job}`],
  ['shares', '/console/shares'],
  ['settings', '/console/settings'],
];
const rulesRun = new Set();
let pagesSeen = 0;

async function inspect(page, name) {
  // In a world of its own: the policy of the page lets no other script in.
  const found = await page.evaluate(async (source) => {
    // eslint-disable-next-line no-eval
    (0, eval)(source);
    return window.axe.run(document, { resultTypes: ['violations'] });
  }, axeSource);
  for (const each of [...found.passes, ...found.violations, ...found.incomplete]) rulesRun.add(each.id);
  pagesSeen += 1;
  const bad = found.violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  must(
    bad.length === 0,
    `${name}: ${bad.map(({ id, nodes }) => `${id} at ${nodes[0].target} (${nodes[0].failureSummary})`).join('; ')}`,
  );
}

async function overflow(page, name) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  must(wide <= 0, `${name} is ${wide} pixels wider than the screen`);
}

async function logIn(page) {
  await page.goto(`${base}/console`);
  must(page.url().includes('/console/login'), 'the console is open without a login');
  await page.fill('#token', token);
  await page.fill('#name', 'ada');
  await page.click('main button[type=submit]');
  must(new URL(page.url()).pathname === '/console', `the login leads to ${page.url()}`);
}

// Those that docs/console.md shows.
const shown = ['login-light', 'overview-light', 'overview-dark', 'requests-light', 'request-light', 'request-phone', 'shares-light', 'settings-light'];
async function shoot(page, name) {
  if (folder !== '-' && shown.includes(name)) {
    await page.screenshot({ path: path.join(folder, `${name}.png`), animations: 'disabled' });
  }
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const context = (options = {}) =>
  browser.newContext({ viewport: { width: 1200, height: 800 }, bypassCSP: false, ...options });

async function walk(name, options) {
  const within = await context(options);
  const page = await within.newPage();
  const refused = [];
  page.on('console', (message) => message.type() === 'error' && refused.push(message.text()));
  page.on('request', (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith('data:')) refused.push(request.url());
  });
  await flow(`${name}.login`, async () => {
    await page.goto(`${base}/console/login`);
    await inspect(page, 'login');
    await overflow(page, 'login');
    await shoot(page, `login-${name}`);
    await logIn(page);
  });
  for (const [title, where] of pages) {
    await flow(`${name}.${title}`, async () => {
      const answer = await page.goto(base + where);
      must(answer.status() === 200, `${where} answers ${answer.status()}`);
      must((await page.locator('h1').count()) === 1, 'not one h1');
      await inspect(page, title);
      await overflow(page, title);
      await shoot(page, `${title}-${name}`);
      must(refused.length === 0, `the browser complains: ${refused.join('; ')}`);
    });
  }
  await within.close();
}

await flow('wrong_token', async () => {
  const within = await context();
  const page = await within.newPage();
  await page.goto(`${base}/console/login`);
  await page.fill('#token', 'not the token, but as long');
  await page.click('main button[type=submit]');
  must((await page.locator('#token-wrong').count()) === 1, 'a wrong token is not told');
  must((await within.cookies()).length === 0, 'a wrong token gets a cookie');
  await within.close();
});

await walk('light', { colorScheme: 'light' });
if (speed !== 'quick') {
  await walk('dark', { colorScheme: 'dark' });
  await walk('phone', { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1, colorScheme: 'light' });
}

await flow('session', async () => {
  const within = await context();
  const page = await within.newPage();
  await logIn(page);
  const [cookie] = await within.cookies();
  must(cookie.httpOnly && cookie.sameSite === 'Strict', 'the cookie is within reach');
  must(!cookie.value.includes(token), 'the cookie holds the token');
  must((await page.evaluate(() => document.cookie)) === '', 'scripts see the cookie');
  const refused = await within.request.post(`${base}/console/requests/${failing}/fail`, { form: { reason: 'x' } });
  must(refused.status() === 403, `a form without its token is answered ${refused.status()}`);
  await page.click('text=Log out');
  await page.goto(`${base}/console/requests`);
  must(page.url().includes('/console/login'), 'one is still logged in');
  await within.close();
});

await flow('keyboard', async () => {
  const within = await context();
  const page = await within.newPage();
  await logIn(page);
  await page.goto(`${base}/console`);
  await page.keyboard.press('Tab');
  must(await page.evaluate(() => document.activeElement.matches('.skip')), 'the first stop is not the skip link');
  await page.keyboard.press('Enter');
  must(await page.evaluate(() => document.activeElement.id === 'content'), 'it does not lead to the content');
  await within.close();
});

await flow('search', async () => {
  const within = await context();
  const page = await within.newPage();
  await logIn(page);
  await page.goto(`${base}/console/requests`);
  await page.fill('#name', job);
  await page.click('text=Search');
  must((await page.locator('tbody tr').count()) === 1, 'the job is not found by its id');
  await page.click('tbody a');
  must(page.url().endsWith(job), 'it does not lead to the request');
  await page.goto(`${base}/console/requests?name=%3Cscript%3Ealert(1)%3C%2Fscript%3E`);
  must((await page.locator('[role=alert]').count()) === 1, 'nonsense is not told');
  must((await page.inputValue('#name')) === '<script>alert(1)</script>', 'what was typed is lost');
  await within.close();
});

await flow('refused_setting', async () => {
  const within = await context();
  const page = await within.newPage();
  await logIn(page);
  await page.goto(`${base}/console/settings`);
  const form = page.locator('form.setting', { has: page.locator('[value=retry_after_min_seconds]') });
  await form.evaluate((each) => { each.noValidate = true; });
  await form.locator('input[name=value]').evaluate((each) => { each.value = '0'; });
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.request().method() === 'POST'),
    form.locator('button').first().click(),
  ]);
  must(answer.status() === 400, `0 is answered ${answer.status()}`);
  await page.waitForSelector('form.setting [role=alert]');
  must((await form.locator('input[name=value]').inputValue()) === '0', 'what was typed is lost');
  await inspect(page, 'a refused setting');
  await within.close();
});

await flow('older', async () => {
  const within = await context();
  const page = await within.newPage();
  await logIn(page);
  await page.goto(`${base}/console/requests`);
  const jobsShown = () => page.locator('tbody a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const seen = new Set(await jobsShown());
  must(seen.size > 0, 'there is no request');
  await page.click('a[rel=next]');
  await page.waitForURL((url) => url.search !== '');
  const older = await jobsShown();
  must(older.length > 0, 'the page behind it is empty');
  must(older.every((href) => !seen.has(href)), 'the page behind it has the same requests');
  await within.close();
});

await flow('shares', async () => {
  const within = await context();
  const page = await within.newPage();
  await logIn(page);
  await page.goto(`${base}/console/shares`);
  const facts = await page.locator('dl.facts div').evaluateAll((all) =>
    Object.fromEntries(all.map((each) => [each.querySelector('dt').textContent, each.querySelector('dd').textContent])),
  );
  must(facts.submitted.replace(/\D/g, '') === '1296', `${facts.submitted} shares are submitted`);
  must(facts.failed === '12' && facts['voting rounds'] === '3', `the page says ${JSON.stringify(facts)}`);
  must((await page.textContent('[aria-labelledby=joins]')).includes('Nine Lives'), 'nobody wants to join');
  const [button, frame] = await Promise.all(
    ['.danger', '.scroll'].map((each) => page.locator(`[aria-labelledby=joins] ${each}`).first().boundingBox()),
  );
  must(button.x + button.width <= frame.x + frame.width, 'the button to remove them is cut off');
  await within.close();
});

await flow('live', async () => {
  const within = await context();
  const page = await within.newPage();
  await logIn(page);
  await page.waitForSelector('[data-pulse]:not([hidden])', { timeout: 15000 });
  must((await page.textContent('[data-pulse]')) === 'live', 'the page does not renew itself');
  // The content, too: one more is counted without another click.
  const count = () =>
    page.evaluate(() => {
      const row = [...document.querySelectorAll('[aria-labelledby=live-title] tbody tr')].find((each) =>
        each.querySelector('th').textContent.includes('input proof'),
      );
      return Number(row.querySelector('.sum').textContent.replace(/\D/g, ''));
    });
  const before = await count();
  await page.evaluate(() => { window.notReloaded = true; });
  const posted = await within.request.post(`${base}/v2/input-proof`, {
    data: {
      contractChainId: '8009',
      contractAddress: `0x${'11'.repeat(20)}`,
      userAddress: `0x${'22'.repeat(20)}`,
      ciphertextWithInputVerification: `aa${Date.now().toString(16).padStart(16, '0')}`,
      extraData: '0x00',
    },
  });
  must(posted.status() === 202, `a request is answered ${posted.status()}`);
  const end = Date.now() + 30000;
  while ((await count()) <= before) {
    must(Date.now() < end, `one more is not counted: it says ${before} still`);
    await page.waitForTimeout(100);
  }
  must(await page.evaluate(() => window.notReloaded === true), 'it was loaded anew');
  await within.close();
});

await flow('without_scripts', async () => {
  const within = await context({ javaScriptEnabled: false });
  const page = await within.newPage();
  await logIn(page);
  for (const [, where] of pages) {
    must((await page.goto(base + where)).status() === 200, `${where} needs scripts`);
  }
  await page.goto(`${base}/console/settings`);
  const form = page.locator('form.setting', { has: page.locator('[value=retry_after_min_seconds]') });
  await form.locator('input[name=value]').fill('2');
  await form.locator('button').click();
  must((await form.locator('.changed').textContent()).includes('ada'), 'the setting does not say who changed it');
  must((await form.locator('input[name=value]').inputValue()) === '2', 'the setting is not what was set');
  must((await page.textContent('#audit ~ .scroll, [aria-labelledby=audit]')).includes('ada'), 'it is not in the audit');
  await page.goto(`${base}/console/requests/${failing}`);
  await page.fill('#reason', 'the test says so');
  await page.click('text=Fail this request');
  must((await page.textContent('.lead')).includes('failure'), 'the request has not failed');
  await page.click('text=Submit anew');
  must((await page.textContent('.notice')).includes('new request'), 'there is no new request');
  await within.close();
});

await browser.close();
say({ flow: 'axe', ok: rulesRun.size > 20, why: `${rulesRun.size} rules on ${pagesSeen} pages` });
