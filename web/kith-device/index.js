// A person's device and a kith service: enrol, look, answer once, send. What is
// private is decided by engine.js and the module; this file talks HTTP and
// keeps the order: saved before sent, the same bytes on every retry.
import { Engine, KithError } from "./engine.js";
export { Engine, KithError } from "./engine.js";
export { MemoryStore, IndexedStore } from "./store.js";

const FIRST_WAIT = 1000, LONGEST_WAIT = 300000, GIVE_UP = 86400000;
// Seconds over which a report is sent: the service's wish, within these, so
// that the moment of sending tells nothing.
const LEAST_SPREAD = 1, MOST_SPREAD = 600;

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The 22 characters of a task's id in links. */
export function taskName(id) {
  return btoa(String.fromCharCode(...id)).replaceAll("+", "-")
    .replaceAll("/", "_").replace(/=+$/, "");
}

function fromHex(text) {
  if (!/^([0-9a-f]{2}){32}$/.test(text))
    throw new KithError("input", "the service names no digest of its round");
  return Uint8Array.from(text.match(/../g), (h) => parseInt(h, 16));
}

async function problem(response) {
  let body = {};
  try {
    body = await response.json();
  } catch { /* not JSON: the status has to do */ }
  const type = String(body.type || `http_${response.status}`);
  return new KithError(type.split("/").pop(), body.detail || body.title);
}

export class Device {
  /** server: the service's address. task: the name in the link that the person
   *  followed. store: where devices are kept. policy: wallet, leastGroup,
   *  testTasks. wasm: bytes or module of kith_device.wasm. Sends nothing. */
  static async join({ server, task, store, policy = {}, wasm, fetch, random }) {
    const device = new Device();
    Object.assign(device, { name: task, store, policy,
      base: `${server.replace(/\/$/, "")}/v1/tasks/${task}`,
      fetch: fetch || globalThis.fetch.bind(globalThis),
      engine: await Engine.load(wasm, random), status: null, etag: null,
      round: null });
    const kept = await store.get(task);
    device.task = kept ? kept.task : await device.text("");
    const facts = device.engine.describe(device.task);
    // The link names the digest: another file is another task.
    if (taskName(facts.id) !== task)
      throw new KithError("privacy", "the task file is not the one of the link");
    device.facts = facts;
    await device.change((record, allowed) => record || { task: device.task,
      saved: device.engine.join(device.task, allowed).saved,
      enrolled: false, sent: false, over: false });
    return device;
  }

  /** Every change of the record: from what is kept now, in one transaction,
   *  with what the wallet has spent on all other tasks. */
  async change(body) {
    this.record = await this.store.update(this.name, (record, others) =>
      body(record, this.allowed(others)));
    return this.record;
  }

  allowed(others) {
    return { ...this.policy, spent: others.reduce((sum, record) =>
      sum + this.engine.spent(record.saved), 0n) };
  }

  async get(path, headers = {}) {
    const response = await this.fetch(this.base + path, { headers });
    if (!response.ok && response.status !== 304) throw await problem(response);
    return response;
  }

  async text(path) { return (await this.get(path)).text(); }

  /** The service's half of the draw. invitation: a code, where one is needed.
   *  What is sent is a commitment to random bytes; nothing about the person. */
  async enrol(invitation) {
    if (this.record.enrolled) return;
    const headers = { "Content-Type": "application/vnd.kith.commitments" };
    if (invitation) headers["Kith-Invitation"] = invitation;
    const body = this.engine.commitment(this.record.saved);
    const response = await this.fetch(`${this.base}/enrolments`,
      { method: "POST", headers, body });
    if (!response.ok) throw await problem(response);
    const tag = new Uint8Array(await response.arrayBuffer());
    if (tag.length !== 16) throw new KithError("input", "no tag");
    const now = await (await this.get("/status")).json();
    const known = now.digest ? fromHex(now.digest) : null;
    await this.change((record) => ({ ...record, enrolled: true,
      saved: this.engine.enrolled(record.saved, tag, known ? now.round : 0,
        known) }));
  }

  /** Looks at the task: "waiting", "asked", "done" or "over". wait: seconds
   *  that the service may hold its answer while nothing changes. */
  async poll({ wait: patience = 0 } = {}) {
    this.record = await this.store.get(this.name);
    this.round = null;
    if (this.record.sent) return "done";
    if (this.envelope()) return "asked";
    const headers = this.etag ? { "If-None-Match": this.etag } : {};
    if (patience) headers.Prefer = `wait=${patience}`;
    const response = await this.get("/status", headers);
    if (response.status !== 304) this.status = await response.json();
    this.etag = response.headers.get("ETag") ?? this.etag;
    if (["finished", "aborted"].includes(this.status.state)) {
      await this.change((record) => ({ ...record, over: true }));
      return "over";
    }
    if (!this.status.digest || !this.record.enrolled) return "waiting";
    return await this.catchUp() ? "asked" : "waiting";
  }

  /** Reads every round up to the current one; does that one ask? */
  async catchUp() {
    const { next, read } = this.engine.position(this.record.saved);
    let asks = false;
    for (let n = read && next > this.status.round ? next - 1 : next;
      n <= this.status.round; n++) {
      const round = await this.text(`/rounds/${n}`);
      await this.change((record, allowed) => {
        const { saved, asked } = this.engine.read(record.saved, allowed, round);
        asks = asked && n === this.status.round;
        return { ...record, saved };
      });
      this.round = asks ? round : null;
    }
    return asks;
  }

  /** The 80 bytes that were kept and are to be sent; null before an answer. */
  envelope() { return this.engine.envelope(this.record.saved); }

  /** What an answer would be, in words, chances and bytes. */
  async explain() {
    if (!this.round) throw new KithError("argument", "nothing is asked");
    const others = (await this.store.all()).filter(([name]) =>
      name !== this.name).map(([, record]) => record);
    return { ...this.engine.explain(this.record.saved, this.allowed(others),
      this.round), bytes: this.engine.preview(this.record.saved, this.round) };
  }

  /** Pays, draws, and keeps the report. Nothing is sent yet. */
  async answer(values) {
    if (!this.round) throw new KithError("argument", "nothing is asked");
    const record = [...values];
    await this.change((kept, allowed) => ({ ...kept, saved: this.engine.answer(
      kept.saved, allowed, this.task, this.round, record) }));
    return this.envelope();
  }

  /** Sends the kept report, again if need be: always the same bytes. */
  async send({ spread = this.status?.spread ?? 0, sleep = wait } = {}) {
    const body = this.engine.envelope((await this.store.get(this.name)).saved);
    if (!body) throw new KithError("argument", "answer first");
    const headers = { "Content-Type": "application/vnd.kith.report" };
    await sleep(1000 * Math.random() *
      Math.min(Math.max(Number(spread) || 0, LEAST_SPREAD), MOST_SPREAD));
    let pause = FIRST_WAIT;
    for (let passed = 0; ; pause = Math.min(2 * pause, LONGEST_WAIT)) {
      let last = null;
      try {
        const response = await this.fetch(`${this.base}/reports`,
          { method: "POST", headers, body });
        if (response.ok) break;
        last = await problem(response);
        const again = response.status >= 500 ||
          [408, 429].includes(response.status);
        if (!again) {
          await this.change((record) => ({ ...record, refused: last.type }));
          throw last;
        }
      } catch (error) {
        if (error === last) throw error;
        last = error;
      }
      if (passed >= GIVE_UP) throw last;
      const now = Math.random() * pause;
      passed += pause;
      await sleep(now);
    }
    await this.change((record) => ({ ...record, sent: true }));
  }
}
