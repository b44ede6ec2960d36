// The operator's page and the public ones, in Chromium, against a mock; and
// what holds for all pages: contrast, labels, no sideways scrolling, no
// request elsewhere.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { Browser, until } from "./chromium.js";
import { MockService } from "./mock_service.js";

const PAGES = new URL("../pages/", import.meta.url);
const SHOTS = process.env.KITH_SCREENSHOTS; // a folder, for people
const MODEL = { kith: 1, kind: "kmeans", k: 3, dimension: 2,
  centers: [[.4, 12.5], [1.9, 17.1], [2.6, 11.2]], weights: [5200, 3100, 1650],
  privacy: { guarantee: "exact", per_user: { epsilon: 1, bytes: 41 } },
  forecast: { radius: 4, center_error: .12, smallest_share: .06, works: "yes" },
  collected: { reports: 9950, invited: 10000, enrol: "open" } };
let browser, mock, page;

before(async () => {
  browser = await Browser.start();
  if (SHOTS) mkdirSync(SHOTS, { recursive: true });
});
after(() => browser.close());
afterEach(async () => {
  await page?.close();
  mock?.close();
  page = mock = null;
});

async function enter(more = {}, look = {}) {
  mock = await MockService.start({ received: [2300, 1210, 30, 2500],
    final: MODEL, enrolled: 9874, refused: { bad_token: 12, round_closed: 0 },
    ...more });
  page = await browser.page(look);
  await page.go(`${mock.operator}/`);
  await page.fill("#token", mock.token);
  await page.press("Enter");
  await page.waitFor("#task");
}

const acted = (what) => until(what, () => mock.acts.some(([w]) => w === what));

async function confirm(what, typed) {
  await page.click(`#act-${what}`);
  await page.waitFor("dialog[open]");
  if (typed) {
    assert.equal(await page.eval("document.querySelector('#yes').disabled"),
      true);
    await page.fill("#typed", typed);
  }
  await page.click("#yes");
}

test("a wrong token is refused; the right one is nowhere afterwards", async () => {
  mock = await MockService.start();
  page = await browser.page();
  await page.go(`${mock.operator}/`);
  assert.equal(mock.api().length, 0);
  await page.fill("#token", "wrong");
  await page.press("Enter");
  await page.waitFor("#enter-said");
  assert.match(await page.text("#enter-said"), /token/);
  await page.fill("#token", mock.token);
  await page.press("Enter");
  await page.waitFor("#task");
  assert.equal(await page.eval(`document.querySelector("#token").value +
    document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })`),
  "{}");
  await page.reload();
  assert.equal(await page.shown("#task"), false);
});

test("groups with bars and minimum marks, and they move", async () => {
  await enter();
  assert.match(await page.text("#title"), /Test/);
  assert.match(await page.text("#tiles"), /9,874[^]*10,000[^]*6,040/);
  assert.match(await page.text("#left"), /^\d+ (days|h \d+ min)$/);
  const bars = await page.eval(`[...document.querySelectorAll("[role=meter]")]
    .map((bar) => { const box = bar.getBoundingClientRect();
      const at = (e) => Math.round(100 * e / box.width);
      return [at(bar.querySelector(".fill").getBoundingClientRect().width),
        at(bar.querySelector(".tick").getBoundingClientRect().left - box.left),
        at(bar.querySelector(".target").getBoundingClientRect().left -
          box.left), bar.classList.contains("low")]; })`);
  assert.deepEqual(bars, [[92, 2, 95, false], [48, 2, 95, false],
    [1, 2, 95, true], [100, 2, 95, false]]);
  assert.match(await page.text("#round"), /20 below the minimum/);
  assert.match(await page.text("#refused"), /bad_token\s+12/);
  assert.doesNotMatch(await page.text("#refused"), /round_closed/);
  assert.match(await page.text("#spend"), /epsilon 0.5, in one report/);
  assert.match(await page.text("#spend-table"), /a question \(4 groups\)\s+0.5\s*$/);
  assert.match(await page.text("#forecast-table"), /0.12/);
  mock.received[2] = 80;
  await until("the bar", async () => /80 of 2,500/.test(
    await page.text("#round")));
  assert.doesNotMatch(await page.text("#round"), /below the minimum/);
  assert.deepEqual(page.errors, []);
});

test("extend, then close by a typed word; at the end the picture", async () => {
  await enter();
  await page.click("#act-extend");
  await page.waitFor("dialog[open]");
  await page.press("Escape"); // leave it
  await confirm("extend");
  await acted("extend");
  assert.deepEqual(mock.acts, [["extend", { seconds: 86400 }]]);
  await page.click("#act-close");
  await page.fill("#typed", "yes");
  assert.equal(await page.eval("document.querySelector('#yes').disabled"), true);
  await page.press("Escape");
  assert.equal(mock.acts.length, 1);
  await confirm("close", "close");
  await page.waitFor("#picture svg");
  assert.equal(await page.eval(
    "document.querySelectorAll('#picture circle').length"), 3);
  assert.match(await page.text("#picture"), /age \(a\)/);
  assert.match(await page.text("#picture"), /52 %\s+0.4\s+12.5/);
  assert.match(await page.text("#state"), /finished/);
  assert.equal(await page.shown("#act-abort"), false);
  assert.match(await page.text("#events"), /close/);
  assert.deepEqual(page.errors, []);
});

test("a task that has moved on is not acted on", async () => {
  await enter();
  await page.click("#act-close");
  await page.waitFor("dialog[open]");
  mock.rounds = [mock.rounds[0], mock.rounds[0].replace("\"round\":0",
    "\"round\":1")];
  await until("a look", async () => mock.api("GET").at(-1) && await page.eval(
    "document.querySelectorAll('#strip li').length") === 2);
  await page.fill("#typed", "close");
  await page.click("#yes");
  await page.waitFor("#said");
  assert.match(await page.text("#said"), /moved on/);
  assert.deepEqual(mock.acts, []);
});

test("paused: resume; abort needs its word and tells the reason", async () => {
  await enter({ state: "paused", code: "x" });
  assert.match(await page.text("#state"), /paused/);
  assert.equal(await page.shown("#act-close"), false);
  await confirm("resume");
  await acted("resume");
  await until("running", async () => /collecting/.test(
    await page.text("#state")));
  await page.fill("#count", "3");
  await page.click("#invite button");
  await page.waitFor("#codes textarea");
  assert.equal(await page.eval("document.querySelector('#codes textarea').value"),
    "code-0\ncode-1\ncode-2");
  await page.click("#act-abort");
  await page.fill("#more", "wrong bounds");
  await page.fill("#typed", "abort");
  await page.click("#yes");
  await acted("abort");
  assert.deepEqual(mock.acts.at(-1), ["abort", { reason: "wrong bounds" }]);
});

test("a service that is away is said, and found again", async () => {
  await enter();
  const { token } = mock;
  mock.token = "changed";
  await page.waitFor("#stale");
  mock.token = token;
  await until("the service", async () => !await page.shown("#stale"));
});

test("the result page: k centres, the spend, the limits", async () => {
  mock = await MockService.start({ state: "finished", model: MODEL });
  page = await browser.page();
  await page.go(`${mock.public}/tasks/${mock.id}`);
  await page.waitFor("#picture svg");
  assert.equal(await page.eval(
    "document.querySelectorAll('#picture circle').length"), 3);
  assert.match(await page.text("#spend"), /epsilon 1, in one report/);
  // docs/local.md: at epsilon 1 a hundredth can pretend 3.3 %.
  assert.match(await page.text("#limit-list"), /a cluster of 3.33 %/);
  assert.match(await page.text("#limit-list"), /Anybody could enrol/);
  await page.go(`${mock.public}/problems/round_closed`);
  await page.waitFor("#advice");
  assert.match(await page.text("#advice"), /closed before your report/);
  assert.deepEqual(page.errors, []);
});

test("pictures of 1, 3 and 20 features", async () => {
  mock = await MockService.start();
  page = await browser.page();
  await page.go(`${mock.public}/`);
  for (const [d, shape, count] of [[1, "circle", 2], [3, "circle", 2],
    [20, "polyline", 2]]) {
    const got = await page.eval(`import("/static/picture.js").then((m) => {
      const features = Array.from({ length: ${d} }, (_, i) => ({ name: "f" + i,
        unit: "", lower: 0, upper: 1 }));
      const e = m.picture({ weights: [1, 2], centers: [features.map(() => .2),
        features.map((_, i) => i / ${d})] }, features);
      document.body.append(e);
      return [e.querySelectorAll("${shape}").length,
        e.querySelectorAll("tbody tr").length,
        [...e.querySelectorAll("[cx]")].every((c) => c.cx.baseVal.value > 0)];
    })`);
    assert.deepEqual(got, [count, 2, true]);
  }
});

// ---- all pages --------------------------------------------------------------

test("every pair of colours has a contrast of 4.5", () => {
  const css = readFileSync(new URL("kith.css", PAGES), "utf8");
  const themes = css.match(/:root \{[^}]*\}/g).map((block) => Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map((m) => m.slice(1))));
  assert.equal(themes.length, 2);
  const light = (colour) => colour.match(/\w\w/g).map((h) => {
    const v = parseInt(h, 16) / 255;
    return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  }).reduce((all, v, i) => all + v * [.2126, .7152, .0722][i], 0);
  const contrast = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + .05) / (y + .05);
  };
  for (const theme of themes) {
    for (const pair of ["fg bg", "fg card", "muted bg", "muted card",
      "accent bg", "accent card", "accent soft", "fg soft", "muted soft",
      "on-accent accent", "bad bad-bg", "bad card", "warn warn-bg"]) {
      const [a, b] = pair.split(" ");
      assert.ok(contrast(theme[a], theme[b]) >= 4.5, `${pair}: ${
        contrast(theme[a], theme[b])}`);
    }
    for (const [a, b] of [["bar", "track"], ["mark", "bar"], ["mark", "track"],
      ...[..."01234567"].map((i) => [`c${i}`, "card"])])
      assert.ok(contrast(theme[a], theme[b]) >= (a === "bar" ? 1.9 : 3),
        `${a} ${b}: ${contrast(theme[a], theme[b])}`);
  }
});

test("no page names another place, or runs or styles inline", () => {
  const pages = readdirSync(PAGES);
  assert.ok(pages.length >= 12);
  for (const name of pages.filter((n) => !n.endsWith(".md"))) {
    const text = readFileSync(new URL(name, PAGES), "utf8");
    assert.doesNotMatch(text.replaceAll("http://www.w3.org/2000/svg", ""),
      /https?:|\/\/\w+\.\w+\/|innerHTML|insertAdjacentHTML|\beval\(/, name);
    if (name.endsWith(".html"))
      assert.doesNotMatch(text, / on\w+=| style=|<style|<script>/, name);
  }
});

/** What a reader of the page without eyes, or on a phone, would miss. */
const FLAWS = `(() => {
  const out = [];
  if (document.documentElement.scrollWidth > innerWidth)
    out.push("wider than the window: " + document.documentElement.scrollWidth);
  for (const e of document.querySelectorAll("input, select, textarea, button")) {
    if (!e.checkVisibility()) continue;
    const name = e.labels?.length ? e.labels[0].textContent : e.ariaLabel ||
      e.textContent;
    if (!name.trim()) out.push("no name: " + e.outerHTML);
    const box = e.getBoundingClientRect();
    if (innerWidth < 600 && box.height < 24) out.push("small: " + e.outerHTML);
  }
  for (const e of document.querySelectorAll("svg"))
    if (!e.ariaLabel) out.push("a picture without words");
  if (document.querySelectorAll("h1").length !== 1) out.push("no single h1");
  if (!document.documentElement.lang) out.push("no language");
  return out;
})()`;

for (const [width, dark] of [[400, false], [400, true], [1280, false],
  [1280, true]]) {
  test(`names, width and colours at ${width}${dark ? ", dark" : ""}`, async () => {
    const shoot = async (name) => {
      assert.deepEqual(await page.eval(FLAWS), [], name);
      if (SHOTS) await page.screenshot(`${SHOTS}/${name}-${width}-${
        dark ? "dark" : "light"}.png`);
    };
    await enter({}, { width, height: 900, dark });
    const ground = await page.eval("getComputedStyle(document.body)" +
      ".backgroundColor.match(/\\d+/g).map(Number)");
    assert.equal(ground[0] < 80, dark);
    await shoot("operator");
    mock.rounds = [0, 1, 2, 3].map((n) => mock.rounds[0].replace("\"round\":0",
      `"round":${n}`));
    await until("rounds", async () => await page.eval(
      "document.querySelectorAll('#strip li').length") === 4);
    await confirm("close", "close");
    await page.waitFor("#picture svg");
    await shoot("operator-end");
    await page.go(`${mock.public}/tasks/${mock.id}`);
    await page.waitFor("#picture svg");
    await shoot("result");
    mock.state = "running";
    mock.rounds = mock.rounds.slice(0, 1);
    await page.go(mock.link);
    await page.waitFor("[data-part=join]");
    await shoot("join");
    await page.click("[data-part=join] button");
    await page.waitFor("[data-part=asked]");
    await page.eval("document.querySelectorAll('details').forEach((d) => " +
      "{ d.open = true; })");
    await shoot("asked");
    await page.fill("#f0", "1");
    await page.fill("#f1", "12");
    await page.click("#send");
    await page.waitFor("[data-part=done]");
    await shoot("done");
  });
}
