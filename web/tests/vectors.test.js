// The vectors in Chromium: the bytes of native code and node, and the pace.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Browser } from "./chromium.js";
import { POLICY, staticFile } from "./static_files.js";

const HERE = new URL("./", import.meta.url);
const read = (name) => readFileSync(new URL(name, HERE));
const vectors = read("../../tests/vectors/device.json");
let browser, page, server;

function serve(request, response) {
  const own = { "/": ["text/html", "<!doctype html><title>vectors</title>"],
    "/favicon.ico": ["image/x-icon", ""],
    "/run.js": ["text/javascript", read("vectors_run.js")],
    "/device.json": ["application/json", vectors] }[request.url];
  const file = own ? { type: own[0], body: own[1] }
    : staticFile(request.url, "operator");
  response.writeHead(file ? 200 : 404, { "Content-Type": file?.type ||
    "text/plain", "Content-Security-Policy": POLICY });
  response.end(file?.body);
}

async function open() {
  page = await browser.page();
  await page.go(`http://127.0.0.1:${server.address().port}/`);
  await page.eval(`(async () => {
    globalThis.run = await import("/run.js");
    globalThis.kith = await import("/static/kith-device/index.js");
    const get = async (path) => (await fetch(path)).arrayBuffer();
    globalThis.wasm = await get("/static/kith-device/kith_device.wasm");
    globalThis.vectors = await (await fetch("/device.json")).json();
  })()`);
}

before(async () => {
  server = createServer(serve).listen(0, "127.0.0.1");
  browser = await Browser.start();
  await open();
});

after(async () => {
  await browser.close();
  server.close();
});

test("the same bytes in Chromium as in native code", async () => {
  const want = JSON.parse(vectors);
  assert.equal(want.length, 12);
  for (let i = 0; i < want.length; i++) {
    const { preview, ...got } = await page.eval(
      `run.play(kith.Engine, wasm, vectors[${i}])`);
    assert.deepEqual(got, want[i]);
    assert.equal(preview.slice(0, 152), want[i].envelope.slice(0, 152));
  }
});

test("other coins are other bytes", async () => {
  const got = await page.eval(
    "run.play(kith.Engine, wasm, { ...vectors[0], coins: 1 << 30 })");
  assert.notEqual(got.commitment, JSON.parse(vectors)[0].commitment);
});

test("an answer in 100 dimensions takes less than 1 ms", async () => {
  const ms = await page.eval("run.pace(kith.Engine, wasm, vectors[11])");
  console.log(`${(ms * 1000).toFixed(0)} us in Chromium, round and all`);
  assert.ok(ms < 1);
});

test("IndexedDB: kept through a crash, one change at a time", async () => {
  const counts = await page.eval(`(async () => {
    const one = await kith.IndexedStore.open("test");
    const two = await kith.IndexedStore.open("test");
    await Promise.all([...Array(40).keys()].map((i) => (i % 2 ? one : two)
      .update("t", (kept, others) => ({ n: (kept?.n ?? 0) + 1,
        others: others.length }))));
    await one.update("u", (kept, others) => ({ n: -1, others: others.length }));
    const thrown = await one.update("t", () => { throw new Error("no"); })
      .catch((error) => error.message);
    return { all: await two.all(), thrown };
  })()`);
  assert.deepEqual(counts, { thrown: "no", all: [["t", { n: 40, others: 0 }],
    ["u", { n: -1, others: 1 }]] });
  assert.deepEqual(page.errors, []);
  await browser.crash();
  await open();
  assert.deepEqual(await page.eval(`kith.IndexedStore.open("test").then((s) =>
    s.get("t"))`), { n: 40, others: 0 });
});
