// The playground as its user meets it: by what is written on things, never by how they are made.
import { PATIENCE_MS } from './browsers.mjs';

/** What the page did that it should not have: errors, refusals by its own policy, requests to elsewhere. */
function watch(page, origin) {
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.stack ?? error}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(?:about|blob|data):/.test(url)) complaints.push(`request: ${url}`);
  });
  return complaints;
}

export class Playground {
  constructor(page, origin) {
    this.page = page;
    this.origin = origin;
    this.complaints = watch(page, origin);
    page.setDefaultTimeout(PATIENCE_MS);
  }

  static async open(browser, origin, hash = '') {
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 900 });
    const playground = new Playground(page, origin);
    await page.goto(`${origin}/${hash}`);
    await playground.ready();
    return playground;
  }

  /** The database is open and what the place names is shown. */
  ready() {
    return this.page.waitForSelector('nav[aria-label="Collections"]');
  }

  async reload() {
    await this.page.reload();
    await this.ready();
  }

  /** The first element with this role and name (a text or a regular expression), once it is there and can be used. */
  async find(role, name) {
    const selector = { button: 'button', tab: '[role="tab"]', heading: 'h1,h2,h3', status: '[role="status"]', alert: '[role="alert"]' }[role];
    const handle = await this.page.waitForFunction((wanted, text, isPattern) => {
      const matches = isPattern ? (found) => new RegExp(text, 'u').test(found) : (found) => found === text;
      // What lies behind an open question cannot be used.
      const reachable = document.querySelector('dialog[open]') ?? document;
      return [...reachable.querySelectorAll(wanted)].find((element) => {
        const label = (element.getAttribute('aria-label') ?? element.textContent).trim().replaceAll(/\s+/g, ' ');
        return !element.disabled && matches(label) && element.getClientRects().length > 0;
      });
    }, {}, selector, name instanceof RegExp ? name.source : name, name instanceof RegExp);
    return handle.asElement();
  }

  /** By the element's own click, so that nothing depends on where things are. */
  async press(role, name) {
    await (await this.find(role, name)).evaluate((element) => element.click());
  }

  /** Waits until `read` in the page gives something other than undefined, null or false, and gives it. */
  async until(read, ...given) {
    return (await this.page.waitForFunction(read, {}, ...given)).jsonValue();
  }

  /** The collections of the side with their counts. */
  collections() {
    return this.page.evaluate(() => Object.fromEntries([...document.querySelectorAll('.collection-open')].map((entry) => [
      entry.querySelector('.collection-name').textContent,
      Number.parseInt(entry.querySelector('.collection-count').textContent.replaceAll(',', ''), 10),
    ])));
  }

  /** Waits for the end of the import into `collection`; gives its state and what it says. */
  imported(collection) {
    return this.until((name) => {
      const job = [...document.querySelectorAll('.job')].find((element) => element.dataset.collection === name);
      if (!job || job.dataset.state === 'running' || job.dataset.state === 'waiting') return undefined;
      return { state: job.dataset.state, said: job.querySelector('.job-outcome').textContent, error: job.querySelector('[role="alert"]')?.textContent };
    }, collection);
  }

  async importSample(name) {
    await this.press('button', /^Add data$/);
    await this.press('button', `Import ${name}`);
    return this.imported(name);
  }

  /** As if the file were dropped on the page. */
  async drop(fileName, content) {
    await this.page.evaluate((name, text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name));
      document.body.dispatchEvent(new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true }));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, fileName, content);
  }

  async openCollection(name) {
    await this.until((wanted) => [...document.querySelectorAll('.collection-open')].some((entry) => entry.title === wanted), name);
    await this.page.evaluate((wanted) => [...document.querySelectorAll('.collection-open')].find((entry) => entry.title === wanted).click(), name);
    await this.answered();
  }

  /** Writes a field of the query as typing does, at once. */
  async write(field, text) {
    await this.page.evaluate((id, value) => {
      const element = document.getElementById(id);
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value').set.call(element, value);
      element.dispatchEvent(new Event('input', { bubbles: true }));
    }, `query-${field}`, text);
  }

  /** Runs a query and waits for its answer and its plan. */
  async run(query) {
    for (const field of ['filter', 'sort', 'project', 'skip', 'limit']) await this.write(field, query[field] ?? '');
    await this.page.evaluate(() => { document.querySelector('.answer-line').dataset.state = 'stale'; });
    await this.press('button', /^Run/);
    await this.answered();
  }

  answered() {
    return this.until(() => document.querySelector('.answer-line[data-state="done"] :is(.by-index, .by-scan)') !== null);
  }

  /** Chooses `light` or `dark` by the button of the page. */
  async colours(scheme) {
    for (let press = 0; press < 3; press++) {
      if (await this.page.evaluate((wanted) => document.documentElement.dataset.theme === wanted, scheme)) return;
      await this.press('button', /^Colours/);
    }
    throw new Error(`The button does not lead to ${scheme}`);
  }

  /** Shows the documents as `tree`, `relaxed` or `canonical`. */
  async show(form) {
    await this.press('tab', 'Documents');
    const choice = await this.page.waitForSelector(`input[name="form"][value="${form}"]`);
    await choice.evaluate((element) => element.click());
    await this.page.waitForSelector(form === 'tree' ? '.document .parts' : '.document .json');
  }

  /** All documents of the answer, read off the page as Extended JSON, page after page. */
  async documents() {
    await this.show('canonical');
    for (;;) {
      const shown = await this.page.evaluate(() => document.querySelectorAll('.document').length);
      const more = await this.page.evaluate(() => {
        const button = [...document.querySelectorAll('.documents-foot button')][0];
        button?.click();
        return button !== undefined;
      });
      if (!more) break;
      await this.until((before) => {
        const buttons = [...document.querySelectorAll('.documents-foot button')];
        return document.querySelectorAll('.document').length > before || buttons.length === 0;
      }, shown);
    }
    const texts = await this.page.evaluate(() => [...document.querySelectorAll('.document .json')].map((element) => element.textContent));
    return texts.map((text) => JSON.parse(text));
  }

  /** The plan as it is drawn. */
  async plan() {
    await this.press('tab', 'Plan');
    await this.page.waitForSelector('.plan .stage');
    return this.page.evaluate(() => ({
      stages: [...document.querySelectorAll('.plan .stage')].map((stage) => stage.dataset.stage),
      figures: Object.fromEntries([...document.querySelectorAll('.figure')].map((figure) => [
        figure.querySelector('dt').textContent, figure.querySelector('dd').textContent,
      ])),
    }));
  }

  async createIndex(fields, { unique = false } = {}) {
    await this.press('tab', 'Indexes');
    await this.page.waitForSelector('.new-index');
    for (const [at, [field, direction]] of Object.entries(fields).entries()) {
      if (at > 0) await this.press('button', 'Another field');
      await this.until((row) => document.querySelectorAll('.key-row').length > row, at);
      await this.page.evaluate((row, name, order) => {
        const element = document.querySelectorAll('.key-row')[row];
        const [input, select] = [element.querySelector('input'), element.querySelector('select')];
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value').set.call(input, name);
        input.dispatchEvent(new Event('input', { bubbles: true }));
        select.value = String(order);
        select.dispatchEvent(new Event('change', { bubbles: true }));
      }, at, field, direction);
    }
    if (unique) await this.page.evaluate(() => document.querySelector('.new-index input[type="checkbox"]').click());
    await this.press('button', 'Create index');
    return this.until(() => {
      const done = document.querySelector('.new-index [role="status"]').textContent;
      return done || document.querySelector('.new-index [role="alert"]')?.textContent;
    });
  }
}
