// node --test, with KITH_WASM naming the module. The vectors are those of the
// native code: same task, round, coins and record, same bytes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Device, Engine, KithError, MemoryStore, taskName } from "../index.js";
import { bytes, counter, hex, pace, play } from "../../tests/vectors_run.js";

const HERE = new URL(".", import.meta.url);
const wasm = readFileSync(process.env.KITH_WASM ||
  new URL("../kith_device.wasm", HERE));
const vectors = JSON.parse(readFileSync(
  new URL("../../../tests/vectors/device.json", HERE), "utf8"));

test("the same bytes as native code", async () => {
  assert.equal(vectors.length, 12);
  for (const v of vectors) {
    const { preview, ...got } = await play(Engine, wasm, v);
    assert.deepEqual(got, v);
    // All but the number is known before the answer.
    const number = 2 * (bytes(v.envelope)[1] - 40);
    assert.equal(preview, v.envelope.slice(0, 152) + "0".repeat(number) +
      v.envelope.slice(152 + number));
    const engine = await Engine.load(wasm);
    assert.throws(() => engine.answer(bytes(v.saved), {}, v.task, v.round, v.x),
      (e) => e instanceof KithError && e.type === "budget");
    assert.throws(() => engine.preview(bytes(v.saved), v.round), KithError);
  }
});

test("what index.d.ts names is there", async () => {
  const types = readFileSync(new URL("../index.d.ts", HERE), "utf8");
  const made = await import("../index.js");
  let methods = 0;
  for (const [, name, body] of types.matchAll(
    /^export class (\w+)[^{]*\{\n(.*?)^\}/gms)) {
    for (const [, fixed, method] of body.matchAll(/^ {2}(static )?(\w+)\(/gm)) {
      const owner = fixed ? made[name] : made[name].prototype;
      assert.equal(typeof owner[method], "function", `${name}.${method}`);
      methods++;
    }
  }
  for (const [, name] of types.matchAll(/^export function (\w+)/gm))
    assert.equal(typeof made[name], "function");
  assert.ok(methods > 25);
});

test("refusals have words", async () => {
  const [v] = vectors, engine = await Engine.load(wasm);
  assert.throws(() => engine.join(v.task, { wallet: 0.5 }), /wallet/);
  assert.throws(() => engine.join(v.task.replace("Test", "Te\\u0073t")),
    (e) => e.type === "input");
  const { saved } = engine.join(v.task);
  const enrolled = engine.enrolled(saved, bytes(v.tag));
  assert.throws(() => engine.enrolled(enrolled, new Uint8Array(16)), /again/);
  assert.throws(() => engine.read(enrolled, { leastGroup: 9000 }, v.round),
    /smaller/);
  const broken = await Engine.load(wasm, () => { throw new Error("none"); });
  assert.throws(() => broken.join(v.task), (e) => e.type === "entropy");
});

test("an answer in 100 dimensions takes less than 1 ms", async () => {
  const ms = await pace(Engine, wasm, vectors[11]);
  console.log(`${(ms * 1000).toFixed(0)} us, round and all`);
  assert.ok(ms < 1);
});

test("the package is at most 40 kB, gzipped", () => {
  let sum = gzipSync(wasm).length;
  for (const name of ["index.js", "engine.js", "store.js", "index.d.ts",
    "package.json"])
    sum += gzipSync(readFileSync(new URL(`../${name}`, HERE))).length;
  console.log(`${sum} bytes`);
  assert.ok(sum <= 40000);
});

// A service in one function, for one vector.
function service(v, state) {
  return async (url, options = {}) => {
    const path = url.split("/v1/tasks/")[1].replace(/^[^/]*/, "");
    const json = (body, status = 200) => new Response(JSON.stringify(body),
      { status });
    state.calls.push(`${options.method || "GET"} ${path}`);
    if (path === "") return new Response(state.task || v.task);
    if (path === "/enrolments") return new Response(bytes(v.tag));
    if (path === "/status")
      return json({ state: "running", round: 0, digest: state.digest,
        spread: 0 });
    if (path === "/rounds/0") return new Response(state.round || v.round);
    if (path === "/reports") {
      state.sent.push(hex(options.body));
      const next = state.answers.shift() ?? 204;
      if (next === "cut") throw new TypeError("connection cut");
      return next === 204 ? new Response(null, { status: 204 })
        : json({ type: `/problems/${next[1]}`, detail: "x" }, next[0]);
    }
    throw new Error(path);
  };
}

async function digestOf(text) {
  return hex(new Uint8Array(await webcrypto.subtle.digest("SHA-256",
    new TextEncoder().encode(text))));
}

async function bed(v, more = {}) {
  const state = { calls: [], sent: [], answers: [], ...more,
    digest: await digestOf(more.round || v.round) };
  const engine = await Engine.load(wasm), store = more.store ||
    new MemoryStore();
  const task = taskName(engine.describe(v.task).id);
  const open = (random = counter(v.coins)) => Device.join({
    server: "https://example.org/", task, store, wasm, random,
    fetch: service(v, state) });
  return { state, store, open };
}

const nap = { sleep: async () => {} };

test("one answer over HTTP, through lost connections and a restart", async () => {
  const [v] = vectors, { state, open } = await bed(v);
  state.answers = ["cut", [503, "busy"], [429, "too_many"]];
  const device = await open();
  assert.equal(device.facts.features[1].name, "height");
  await device.enrol();
  assert.equal(await device.poll(), "asked");
  assert.match((await device.explain()).text, /chance/);
  assert.deepEqual(state.sent, []);
  const shown = await device.answer(v.x);
  assert.equal(state.sent.length, 0); // nothing leaves before send()
  await device.send(nap);
  assert.equal(hex(shown), v.envelope);
  assert.deepEqual(state.sent, Array(4).fill(v.envelope));
  assert.equal(await device.poll(), "done");
  // A reload does not answer twice.
  const again = await open(counter(12345));
  assert.equal(await again.poll(), "done");
  await assert.rejects(again.answer(v.x), KithError);
});

test("a crash between answer and send sends the same bytes", async () => {
  const [v] = vectors, { state, open } = await bed(v);
  const device = await open();
  await device.enrol();
  await device.poll();
  await device.answer(v.x);
  const again = await open(counter(99));
  assert.equal(await again.poll(), "asked");
  await again.send(nap);
  assert.deepEqual(state.sent, [v.envelope]);
});

test("two tabs answer once", async () => {
  const [v] = vectors, { state, open, store } = await bed(v);
  const one = await open();
  await one.enrol();
  const two = await open(counter(99)); // before one has answered
  assert.equal(await one.poll(), "asked");
  assert.equal(await two.poll(), "asked");
  await one.answer(v.x);
  await assert.rejects(two.answer([1, 11]), (e) => e.type === "budget");
  // A tab that was behind erases nothing.
  two.round = v.round;
  await assert.rejects(two.answer([1, 11]), (e) => e.type === "budget");
  assert.equal(await two.poll(), "asked");
  assert.equal(hex(two.envelope()), v.envelope);
  await two.send(nap);
  await one.send(nap);
  assert.deepEqual(state.sent, [v.envelope, v.envelope]);
  assert.equal((await store.all()).length, 1);
});

test("tabs of two tasks share the wallet", async () => {
  const [v, , , , , , , , , , wide] = vectors, store = new MemoryStore();
  const a = await (await bed(v, { store })).open();
  const b = await (await bed(wide, { store })).open(counter(wide.coins));
  for (const device of [a, b]) {
    device.policy = { wallet: 1.4 }; // enough for one of them: .5 or 1
    await device.enrol();
    assert.equal(await device.poll(), "asked");
  }
  await a.answer(v.x);
  await assert.rejects(b.answer(wide.x), (e) => e.type === "budget");
});

test("a restart finds the question again, another round does not", async () => {
  const [v] = vectors, { state, open } = await bed(v);
  const device = await open();
  await device.enrol();
  assert.equal(await device.poll(), "asked");
  assert.equal(await (await open(counter(5))).poll(), "asked");
  state.round = v.round.replace("\"invited\":10000", "\"invited\":10001");
  assert.notEqual(state.round, v.round);
  await assert.rejects((await open()).poll(), (e) => e.type === "privacy");
});

test("sending waits a random while, whatever the service says", async () => {
  for (const [spread, least, most] of [[0, 0, 1000], [NaN, 0, 1000],
    [-5, 0, 1000], [20, 0, 20000], [1e9, 0, 600000]]) {
    const seen = new Set();
    for (let i = 0; i < 8; i++) {
      const [v] = vectors, { state, open } = await bed(v);
      const device = await open();
      await device.enrol();
      await device.poll();
      await device.answer(v.x);
      await device.send({ spread, sleep: async (ms) => {
        assert.equal(state.sent.length, 0);
        assert.ok(ms >= least && ms <= most, `${ms}`);
        seen.add(ms);
      } });
      assert.deepEqual(state.sent, [v.envelope]);
    }
    assert.ok(seen.size > 1);
  }
});

test("a final refusal is final", async () => {
  const [v] = vectors, { state, open } = await bed(v);
  state.answers = [[409, "round_closed"]];
  const device = await open();
  await device.enrol();
  await device.poll();
  await device.answer(v.x);
  await assert.rejects(device.send(nap), (e) => e.type === "round_closed");
  assert.equal(state.sent.length, 1);
  assert.equal((await open()).record.refused, "round_closed");
});

test("another task file than the link's is refused", async () => {
  const [v] = vectors;
  const { open } = await bed(v, { task: v.task.replace("Test", "Tess") });
  await assert.rejects(open(), /link/);
});

test("a service that raises epsilon is refused", async () => {
  const cheap = vectors[0], dear = structuredClone(cheap);
  dear.round = dear.round.replaceAll("\"loss\":562949953421312",
    "\"loss\":2251799813685248");
  assert.notEqual(dear.round, cheap.round);
  const { open, state } = await bed(dear);
  const device = await open();
  await device.enrol();
  await assert.rejects(device.poll(), /more than the task/);
  assert.deepEqual(state.sent, []);
});

test("the wallet is the sum over all tasks", async () => {
  const [v, , , , , , , , , , wide] = vectors, store = new MemoryStore();
  const first = await bed(v, { store });
  const one = await first.open();
  await one.enrol();
  await one.poll();
  await one.answer(v.x);
  const second = await bed(wide, { store });
  const join = (wallet) => second.open(counter(wide.coins)).then(
    (d) => { d.policy = { wallet }; return d; });
  const two = await join(1.4); // .5 is gone, 1 is asked
  await two.enrol();
  await assert.rejects(two.poll(), (e) => e.type === "budget");
  two.policy = { wallet: 1.5 };
  assert.equal(await two.poll(), "asked");
});
