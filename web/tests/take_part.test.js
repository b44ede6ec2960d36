// The participant's page in Chromium, against a service that may lie.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { Browser, until } from "./chromium.js";
import { MockService } from "./mock_service.js";

const VECTORS = JSON.parse(readFileSync(new URL(
  "../../tests/vectors/device.json", import.meta.url), "utf8"));
let browser, mock, page;

before(async () => { browser = await Browser.start(); });
after(() => browser.close());
afterEach(async () => {
  await page?.close();
  mock?.close();
  page = mock = null;
});

async function open(more = {}, look = {}) {
  mock = await MockService.start(more);
  page = await browser.page(look);
  await page.go(mock.link + (more.hash || ""));
}

const part = (name) => page.waitFor(`[data-part=${name}]`);

async function joined(more) {
  await open(more);
  await page.click("[data-part=join] button");
  await part("asked");
}

/** The bytes that the page shows, as sent; dots where they are not known. */
const shown = (at) => page.eval(`[...document.querySelectorAll(
  "${at} td:last-child")].map((e) => e.textContent).join("")`);

async function answered() {
  await page.fill("#f0", "1.5");
  await page.fill("#f1", "17,25");
  await page.click("#send");
}

test("purpose, fields and what would be sent; then one answer", async () => {
  await open();
  await part("join");
  assert.equal(await page.text("h1"), "Test");
  assert.match(await page.text("#purpose"), /to see that it works/);
  assert.match(await page.text("#who"), /nobody@example.org/);
  assert.match(await page.text("#promise"), /epsilon 1:/);
  // Nothing leaves before the first button: only GETs of public files.
  assert.deepEqual(mock.api("POST"), []);
  assert.equal(mock.api().length, 1);
  await page.click("[data-part=join] button");
  await part("asked");
  assert.deepEqual(mock.api("POST").map((r) => [r.path.split("/").pop(),
    r.body.length]), [["enrolments", 16]]);
  assert.match(await page.text("label[for=f1]"), /height \(cm\)/);
  assert.match(await page.text("#h1"), /from 10 to 20/);
  assert.match(await page.text("#cost"), /epsilon 0.5.*7.5 will be left/);
  assert.match(await page.text("#meaning"), /a factor of 1.65 at most/);
  await page.eval("document.querySelectorAll('#answer details')" +
    ".forEach((d) => { d.open = true; })");
  const before = await shown("#bytes");
  assert.match(before, /^[0-9a-f]{152}·+[0-9a-f]*$/u);
  // Typing asks nobody.
  const count = mock.log.length, asked = page.requests.length;
  await page.fill("#f0", "99");
  await page.fill("#f1", "not a number");
  assert.match(await page.text("#clipped"), /age counts as 3/);
  await page.click("#send");
  assert.match(await page.text("#missing"), /height/);
  assert.equal(await page.eval("document.activeElement.id"), "f1");
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(mock.log.length, count);
  assert.equal(page.requests.length, asked);
  await answered();
  await part("done");
  // Bytes on the wire = bytes shown.
  const sent = mock.api("POST").slice(1);
  assert.deepEqual(sent.map((r) => r.path.split("/").pop()), ["reports"]);
  assert.equal(await shown("#receipt-bytes"), sent[0].body.toString("hex"));
  assert.equal(sent[0].body.toString("hex").slice(0, 152),
    before.slice(0, 152));
  assert.equal(await page.text("#number"), String(sent[0].body[76] +
    (sent[0].body[1] > 41 ? 256 * sent[0].body[77] : 0)));
  // The values are gone from the page, and were never kept.
  assert.equal(await page.eval("document.querySelector('#f0').value"), "");
  const kept = await page.eval(`new Promise((resolve) => {
    const open = indexedDB.open("kith-device", 1);
    open.onsuccess = () => { const all = open.result.transaction("devices")
      .objectStore("devices").getAll(); all.onsuccess = () => resolve(
        JSON.stringify(all.result, (k, v) => v instanceof Uint8Array
          ? v.length : v)); }; })`);
  assert.ok(!kept.includes("17.25"));
  assert.match(kept, /"saved":256/);
  assert.deepEqual(page.errors, []);
  assert.ok(page.requests.every((r) => r.url.startsWith(mock.public)));
  // A reload does not answer twice.
  await page.reload();
  await part("done");
  assert.equal(await shown("#receipt-bytes"), sent[0].body.toString("hex"));
  assert.equal(mock.api("POST").length, 2);
  assert.equal(mock.reports.size, 1);
});

test("kept before sent: a reload or a crash sends the same bytes", async () => {
  await joined({ faults: Array(50).fill([503, "busy"]) });
  await answered();
  await part("sending");
  const kept = await shown("#kept");
  await until("a first try", () => mock.api("POST").length > 1);
  await page.reload();
  await part("sending");
  assert.equal(await shown("#kept"), kept);
  await until("another try", () => mock.api("POST").length > 2);
  await browser.crash();
  page = await browser.page();
  mock.faults = ["cut"];
  await page.go(mock.link);
  await part("done");
  const bodies = new Set(mock.api("POST").slice(1).map((r) =>
    r.body.toString("hex")));
  assert.deepEqual([...bodies], [kept]);
  assert.equal(mock.reports.size, 1);
});

test("two tabs answer once", async () => {
  await joined();
  const other = await browser.page();
  await other.go(mock.link);
  await other.waitFor("[data-part=asked]");
  await answered();
  await part("done");
  const [mine, first] = [page, mock.api("POST")[1].body.toString("hex")];
  page = other;
  await answered();
  await part("problem");
  assert.match(await page.text("#problem"), /has answered/);
  await page.click("#again");
  await part("done");
  assert.equal(await shown("#receipt-bytes"), first);
  assert.equal(mock.reports.size, 1);
  assert.equal(mock.api("POST").filter((r) => r.path.endsWith("reports"))
    .length, 1);
  await mine.close();
});

test("a service that raises epsilon is refused, nothing is sent", async () => {
  await open({ rounds: [VECTORS[0].round.replaceAll("\"loss\":562949953421312",
    "\"loss\":2251799813685248")] });
  await page.click("[data-part=join] button");
  await part("problem");
  assert.match(await page.text("#problem"), /more than the task declares/);
  assert.equal(await page.text("#problem-head"), "This device refuses");
  assert.equal(mock.reports.size, 0);
});

test("another purpose than the link's is refused", async () => {
  mock = await MockService.start();
  mock.task = mock.task.replace("to see that it works", "to sell your data");
  page = await browser.page();
  await page.go(mock.link);
  await part("problem");
  assert.match(await page.text("#problem"), /not the one of the link/);
  assert.deepEqual(mock.api("POST"), []);
});

test("groups of few are refused", async () => {
  await open({ rounds: [VECTORS[0].round.replace("\"invited\":10000",
    "\"invited\":199")] });
  await page.click("[data-part=join] button");
  await part("problem");
  assert.match(await page.text("#problem"), /smaller than this device allows/);
});

test("an invitation, from the field or from the link", async () => {
  const task = VECTORS[0].task.replace("\"enrol\":\"open\"",
    "\"enrol\":\"invitation\"");
  await open({ task, code: "abc", rounds: [] });
  await part("join");
  await page.click("[data-part=join] button"); // required: nothing happens
  assert.deepEqual(mock.api("POST"), []);
  await page.fill("#code", "wrong");
  await page.press("Enter");
  await part("problem");
  assert.match(await page.text("#advice"), /invitation code/);
  await page.click("#again");
  await part("join");
  await page.fill("#code", "abc");
  await page.press("Enter");
  await part("waiting");
  assert.ok(!mock.log.some((r) => r.path.includes("abc")));
});

test("the turn comes while the page waits; too late is said", async () => {
  await open({ rounds: [], state: "enrolling" });
  await page.click("[data-part=join] button");
  await part("waiting");
  assert.match(await page.text("#waiting"), /not started/);
  mock.rounds = [VECTORS[0].round];
  mock.state = "running";
  await part("asked");
  mock.faults = [[409, "round_closed"]];
  await answered();
  await part("problem");
  await page.reload();
  await part("done");
  assert.equal(await page.text("#done-head"), "Your answer came too late");
});

test("a row of her own CSV file; keyboard only", async () => {
  await joined();
  const file = new URL(`file://${process.env.TMPDIR || "/tmp"}/kith-row-${
    process.pid}.csv`);
  writeFileSync(file, "id;height;age\n1;12,5;0\n2;\"18.5\";2.5\n");
  const { root } = await page.send("DOM.getDocument");
  const { nodeId } = await page.send("DOM.querySelector",
    { nodeId: root.nodeId, selector: "#file" });
  await page.send("DOM.setFileInputFiles", { nodeId, files: [file.pathname] });
  await page.eval("document.querySelector('#csv').open = true");
  const count = mock.log.length;
  await page.fill("#line", "2");
  await page.click("#take");
  await until("the row", async () => await page.eval(
    "document.querySelector('#f1').value") === "18.5");
  assert.equal(await page.eval("document.querySelector('#f0').value"), "2.5");
  await page.fill("#line", "3");
  await page.click("#take");
  await until("words", async () => /rows 1 to 2/.test(
    await page.text("#csv-said")));
  assert.equal(mock.log.length, count);
  // From the first field to the button by Tab alone, and Enter.
  await page.eval("document.querySelector('#f0').focus()");
  for (let i = 0; i < 12 && await page.eval("document.activeElement.id") !==
    "send"; i++) await page.press("Tab");
  assert.equal(await page.eval("document.activeElement.id"), "send");
  await page.press("Enter");
  await part("done");
  assert.equal(mock.reports.size, 1);
});
