// Debian's Chromium for tests, without packages: the DevTools protocol over a
// pipe (file descriptors 3 and 4, JSON ended by NUL).
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
  "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
  "--hide-scrollbars", "--remote-debugging-pipe"];
const PATIENCE = 60000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Until body() is true, or an error that says what was waited for. */
export async function until(what, body) {
  for (const from = Date.now(); Date.now() - from < PATIENCE; await pause(50)) {
    if (await body()) return;
  }
  throw new Error(`waited for ${what}`);
}

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "kith-chromium-"));
    browser.launch();
    return browser;
  }

  launch() {
    this.waiting = new Map();
    this.listeners = new Map();
    this.count = 0;
    this.process = spawn("chromium", [...FLAGS,
      `--user-data-dir=${this.profile}`, "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.gone = new Promise((resolve) => this.process.on("exit", resolve));
    this.process.stdio[3].on("error", () => {});
    let rest = Buffer.alloc(0);
    this.process.stdio[4].on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
        this.take(JSON.parse(rest.subarray(0, end).toString()));
    });
  }

  take(message) {
    if (message.id) {
      const { resolve, reject } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      return message.error ? reject(new Error(message.error.message))
        : resolve(message.result);
    }
    return this.listeners.get(message.sessionId)?.(message);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.count;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params,
      sessionId })}\0`);
    return new Promise((resolve, reject) =>
      this.waiting.set(id, { resolve, reject }));
  }

  /** Another process on the same profile, as after a crash. */
  async crash() {
    this.process.kill("SIGKILL");
    await this.gone;
    rmSync(join(this.profile, "SingletonLock"), { force: true });
    this.launch();
  }

  async close() {
    this.send("Browser.close").catch(() => {});
    await Promise.race([this.gone, pause(5000)]);
    this.process.kill("SIGKILL");
    await this.gone;
    // Its children may still write for a moment.
    await until("the profile to go", () => {
      try {
        rmSync(this.profile, { recursive: true, force: true });
        return true;
      } catch {
        return false;
      }
    });
  }

  async page({ width = 1280, height = 900, dark = false } = {}) {
    const { targetId } = await this.send("Target.createTarget",
      { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget",
      { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.listeners.set(sessionId, (message) => page.take(message));
    for (const domain of ["Page", "Runtime", "Network", "Log"])
      await page.send(`${domain}.enable`);
    await page.look({ width, height, dark });
    return page;
  }
}

export class Page {
  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target, requests: [], errors: [],
      loaded: 0 });
  }

  send(method, params) { return this.browser.send(method, params, this.session); }

  take({ method, params }) {
    if (method === "Page.loadEventFired") this.loaded++;
    if (method === "Network.requestWillBeSent")
      this.requests.push({ method: params.request.method,
        url: params.request.url, type: params.type });
    if (method === "Runtime.exceptionThrown")
      this.errors.push(params.exceptionDetails.exception?.description ||
        params.exceptionDetails.text);
    if (method === "Log.entryAdded" && params.entry.level === "error")
      this.errors.push(`${params.entry.text} ${params.entry.url || ""}`);
  }

  look({ width, height, dark }) {
    return Promise.all([
      this.send("Emulation.setDeviceMetricsOverride", { width, height,
        deviceScaleFactor: 1, mobile: width < 600 }),
      this.send("Emulation.setEmulatedMedia", { features: [
        { name: "prefers-color-scheme", value: dark ? "dark" : "light" }] }),
    ]);
  }

  async go(url) {
    const before = this.loaded;
    const { errorText } = await this.send("Page.navigate", { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    await until(url, () => this.loaded > before);
  }

  async reload() {
    const before = this.loaded;
    await this.send("Page.reload");
    await until("a reload", () => this.loaded > before);
  }

  /** The value of a JavaScript expression; promises are awaited. */
  async eval(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate",
      { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ||
        exceptionDetails.text);
    return result.value;
  }

  text(selector) {
    return this.eval(`document.querySelector(${JSON.stringify(selector)})
      ?.innerText ?? ""`);
  }

  shown(selector) {
    return this.eval(`(() => { const e = document.querySelector(
      ${JSON.stringify(selector)}); return !!e && e.checkVisibility(); })()`);
  }

  waitFor(selector) { return until(selector, () => this.shown(selector)); }

  /** Where a person would click; fails when something lies above it. */
  async click(selector) {
    await this.waitFor(selector);
    const at = await this.eval(`(() => {
      const e = document.querySelector(${JSON.stringify(selector)});
      e.scrollIntoView({ block: "center" });
      const b = e.getBoundingClientRect();
      const x = b.left + b.width / 2, y = b.top + b.height / 2;
      const top = document.elementFromPoint(x, y);
      return { x, y, hit: e.contains(top) && !e.disabled };
    })()`);
    if (!at.hit) throw new Error(`${selector} cannot be clicked`);
    for (const type of ["mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent", { type, x: at.x, y: at.y,
        button: "left", clickCount: 1 });
  }

  async fill(selector, text) {
    await this.waitFor(selector);
    await this.eval(`(() => { const e = document.querySelector(
      ${JSON.stringify(selector)}); e.focus(); e.select?.(); })()`);
    await this.send("Input.insertText", { text });
  }

  async press(key) {
    const code = { Enter: 13, Tab: 9, " ": 32, Escape: 27 }[key];
    const more = { key, code: key === " " ? "Space" : key,
      windowsVirtualKeyCode: code, text: { Enter: "\r", " ": " " }[key] };
    for (const type of ["keyDown", "keyUp"])
      await this.send("Input.dispatchKeyEvent", { type, ...more });
  }

  /** The whole page as a picture. */
  async screenshot(path) {
    const { cssContentSize } = await this.send("Page.getLayoutMetrics");
    const { data } = await this.send("Page.captureScreenshot", {
      captureBeyondViewport: true, clip: { x: 0, y: 0, scale: 1,
        width: cssContentSize.width, height: cssContentSize.height } });
    writeFileSync(path, Buffer.from(data, "base64"));
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.target });
  }
}
