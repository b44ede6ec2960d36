// The real thing: kithd on SQLite, a crowd played by `kith local respond`, and
// one person in Chromium, from joining to the model. KITH, KITHD: the programs.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Browser, until } from "./chromium.js";

const CROWD = 3000, SHOTS = process.env.KITH_SCREENSHOTS;
const folder = mkdtempSync(join(tmpdir(), "kith-service-"));
const at = (name) => join(folder, name);
let browser, page, kithd, task, open, operate, token;

const kith = (...args) => execFileSync(process.env.KITH, args,
  { cwd: folder, stdio: ["ignore", "pipe", "pipe"] }).toString();

/** Two ports that nobody uses now: above those of the other tests
 *  (tests/support/postgres.py), below those that the system gives away. */
async function freePorts() {
  const open = [];
  while (open.length < 2) {
    const server = createServer(), port = 32000 + Math.floor(768 * Math.random());
    if (await new Promise((done) => server.once("error", () => done(false))
      .listen(port, "127.0.0.1", () => done(true)))) open.push(server);
  }
  const ports = open.map((server) => server.address().port);
  await Promise.all(open.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/** Two groups of people, and numbers that anybody can draw again. */
function crowd() {
  let state = 1;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647 - .5;
  };
  writeFileSync(at("rows.csv"), [...Array(CROWD).keys()].map((i) => {
    const [age, income] = i % 2 ? [30, 25] : [62, 80];
    return `${(age + 12 * next()).toFixed(2)},${(income + 20 * next())
      .toFixed(2)}\n`;
  }).join(""));
  writeFileSync(at("bounds.csv"), "18,90\n0,120\n");
}

before(async () => {
  crowd();
  kith("local", "create", "-k", "2", "-e", "4", "--dimension", "2",
    "--bounds-file", "bounds.csv", "--names", "age,income", "--method",
    "one-round", "--enrol", "open", "--close-at", "0", "--title",
    "Age and income", "--purpose", "To see which groups of people need another " +
    "kind of advice, without knowing anybody's income.", "--operator",
    "Example Institute", "--contact", "privacy@example.org", "-o", "task.json");
  const [a, b] = await freePorts();
  [open, operate] = [a, b].map((port) => `http://127.0.0.1:${port}`);
  kithd = spawn(process.env.KITHD, ["--task", "task.json", "--database",
    "sqlite:k.db", "--listen", `127.0.0.1:${a}`, "--admin-listen",
    `127.0.0.1:${b}`, "--spread", "0"], { cwd: folder,
    stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  kithd.stdout.on("data", (text) => { said += text; });
  await until("kithd", () => /take part: /.test(said));
  token = said.match(/operator token: (\S+)/)[1];
  task = said.match(/^task: (\S+)/m)[1];
  writeFileSync(at("token"), `${token}\n`, { mode: 0o600 });
  browser = await Browser.start();
});

after(async () => {
  await browser?.close();
  kithd?.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

/** The crowd. Resolves when it is done: with an answer, when the task ends. */
function respond(...more) {
  const crowd = spawn(process.env.KITH, ["local", "respond", "--server", open,
    "--task", task, "--state", "s.bin", "--no-header", "--quiet", ...more,
    "rows.csv"], { cwd: folder, stdio: "ignore" });
  return new Promise((resolve) => crowd.on("exit", resolve));
}

const view = async () => (await fetch(`${operate}/v1/tasks/${task}/operator`,
  { headers: { Authorization: `Bearer ${token}` } })).json();

const received = async () => (await view()).rounds[0].groups.reduce((sum, g) =>
  sum + g.received, 0);

const shoot = (p, name) => (SHOTS ? p.screenshot(`${SHOTS}/${name}.png`) : null);

test("join, wait, answer, be counted; the operator starts and closes", async () => {
  assert.equal(await respond("--enrol-only"), 0);
  page = await browser.page();
  await page.go(`${open}/tasks/${task}/take-part`);
  await page.click("[data-part=join] button");
  await page.waitFor("[data-part=waiting]");
  assert.match(await page.text("#waiting"), /not started/);

  // The operator starts it; the person's turn comes while the page waits.
  const desk = await browser.page();
  await desk.go(`${operate}/`);
  await desk.fill("#token", token);
  await desk.press("Enter");
  await desk.waitFor("#act-start");
  await desk.click("#act-start");
  await desk.click("#yes");
  await page.waitFor("[data-part=asked]");
  assert.equal((await view()).invited, CROWD + 1);
  assert.match(await page.text("#purpose"), /anybody's income/);
  assert.match(await page.text("label[for=f1]"), /income/);
  assert.match(await page.text("#cost"), /epsilon 4.*4 will be left/);
  await shoot(page, "real-asked");
  assert.equal(await received(), 0);
  await page.fill("#f0", "41");
  await page.fill("#f1", "55.5");
  await page.click("#send");
  await page.waitFor("[data-part=done]");
  assert.equal(await received(), 1);
  const bytes = await page.eval(`[...document.querySelectorAll(
    "#receipt-bytes td:last-child")].map((e) => e.textContent).join("")`);
  // A reload sends nothing; a second sending is a duplicate, counted once.
  await page.reload();
  await page.waitFor("[data-part=done]");
  const again = await fetch(`${open}/v1/tasks/${task}/reports`, { method: "POST",
    headers: { "Content-Type": "application/vnd.kith.report" },
    body: Buffer.from(bytes, "hex") });
  assert.equal(again.status, 204);
  assert.equal(await received(), 1);
  assert.deepEqual(page.errors, []);

  // The others answer; the bars move; the operator closes.
  const others = respond();
  await until("all reports", async () => await received() === CROWD + 1);
  await until("the bars", async () => new RegExp(`${(CROWD + 1).toLocaleString(
    "en-GB")}\\s+reports`).test(await desk.text("#tiles")));
  await shoot(desk, "real-operator");
  await desk.click("#act-close");
  await desk.fill("#typed", "close");
  await desk.click("#yes");
  await desk.waitFor("#picture-card");
  const seen = await fetch(`${operate}/v1/tasks/${task}`,
    { headers: { Authorization: `Bearer ${token}` } });
  if (seen.ok) {
    await desk.waitFor("#picture svg");
    assert.equal(await desk.eval(
      "document.querySelectorAll('#picture circle').length"), 2);
  } else {
    console.log("NOT TESTED: the operator's picture; kithd gives the result on " +
      "its public address only");
    assert.match(await desk.text("#picture"), /public address/);
    desk.errors.length = 0;
  }
  await shoot(desk, "real-operator-end");
  assert.deepEqual(desk.errors, []);

  assert.equal(await others, 0);

  // The model: the person is in it, and in the archive, once.
  const model = await (await fetch(`${open}/v1/tasks/${task}/result`)).json();
  assert.equal(model.collected.reports, CROWD + 1);
  assert.equal(model.privacy.guarantee, "exact");
  kith("local", "archive", "--server", operate, "--token-file", "token",
    "--task", task, "-o", "archive");
  const archive = readFileSync(at("archive"));
  const nonce = Buffer.from(bytes, "hex").subarray(60, 77);
  assert.ok(archive.includes(nonce), "nonce and number");
  assert.equal(archive.indexOf(nonce, archive.indexOf(nonce) + 1), -1);
  await page.go(`${open}/tasks/${task}`);
  await page.waitFor("#picture svg");
  assert.match(await page.text("#limit-list"), /3,001 reports of 3,001 people/);
  await shoot(page, "real-result");
  await page.go(`${open}/problems/round_closed`);
  assert.match(await page.text("#advice"), /closed before/);
  assert.deepEqual(page.errors, []);
});

test("who comes after the end is told so", async () => {
  const late = await (await Browser.start());
  try {
    const other = await late.page();
    await other.go(`${open}/tasks/${task}/take-part`);
    await other.click("[data-part=join] button");
    await other.waitFor("[data-part=problem], [data-part=over]");
    assert.match(await other.text("main"), /ended/);
  } finally {
    await late.close();
  }
});
