// A person's device and a kith service: enrol, look, answer once, send. What is
// private is decided by engine.js and the module; this file talks HTTP and
// keeps the order: saved before sent, the same bytes on every retry.
import { Engine, KithError } from "./engine.js";
export { Engine, KithError } from "./engine.js";
export { MemoryStore, IndexedStore } from "./store.js";

const FIRST_WAIT = 1000, LONGEST_WAIT = 300000, GIVE_UP = 86400000;

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The 22 characters of a task's id in links. */
export function taskName(id) {
  return btoa(String.fromCharCode(...id)).replaceAll("+", "-")
    .replaceAll("/", "_").replace(/=+$/, "");
}

function fromHex(text) {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new KithError("input", "no digest");
  return Uint8Array.from(text.match(/../g) || [], (h) => parseInt(h, 16));
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
   *  testTasks. wasm: bytes or module of kith_device.wasm. */
  static async join({ server, task, store, policy = {}, wasm, fetch, random }) {
    const device = new Device();
    Object.assign(device, { name: task, store, policy,
      base: `${server.replace(/\/$/, "")}/v1/tasks/${task}`,
      fetch: fetch || globalThis.fetch.bind(globalThis),
      engine: await Engine.load(wasm, random), status: null, round: null });
    const kept = await store.get(task);
    device.task = kept ? kept.task : await device.text("");
    const facts = device.engine.describe(device.task);
    // The link names the digest: another file is another task.
    if (taskName(facts.id) !== task)
      throw new KithError("privacy", "the task file is not the one of the link");
    device.facts = facts;
    device.record = kept || { task: device.task, sent: false, over: false,
      saved: device.engine.join(device.task, await device.allowed()).saved };
    if (!kept) await device.keep();
    return device;
  }

  keep() { return this.store.put(this.name, this.record); }

  /** The policy with what all other tasks have spent. */
  async allowed() {
    let spent = 0n;
    for (const [name, record] of await this.store.all())
      if (name !== this.name) spent += this.engine.spent(record.saved);
    return { ...this.policy, spent };
  }

  async get(path, headers = {}) {
    const response = await this.fetch(this.base + path, { headers });
    if (!response.ok && response.status !== 304) throw await problem(response);
    return response;
  }

  async text(path) { return (await this.get(path)).text(); }

  /** The service's half of the draw. invitation: a code, where one is needed. */
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
    this.record.saved = this.engine.enrolled(this.record.saved, tag,
      known ? now.round : 0, known);
    this.record.enrolled = true;
    this.record.next = known ? now.round : 0;
    await this.keep();
  }

  /** Looks at the task: "waiting", "asked", "done" or "over". */
  async poll() {
    if (this.record.sent) return "done";
    if (this.engine.envelope(this.record.saved)) return "asked";
    this.status = await (await this.get("/status")).json();
    if (["finished", "aborted"].includes(this.status.state)) {
      this.record.over = true;
      await this.keep();
      return "over";
    }
    if (!this.status.digest) return "waiting";
    const policy = await this.allowed();
    if (this.round) return "asked";
    while (this.record.next <= this.status.round) {
      const round = await this.text(`/rounds/${this.record.next}`);
      const { saved, asked } = this.engine.read(this.record.saved, policy,
        round);
      this.record.saved = saved;
      if (asked && this.record.next === this.status.round) {
        this.round = round;
        return "asked";
      }
      this.record.next++;
      await this.keep();
    }
    return "waiting";
  }

  /** What an answer would be, in words and chances. */
  async explain() {
    if (!this.round) throw new KithError("argument", "nothing is asked");
    return this.engine.explain(this.record.saved, await this.allowed(),
      this.round);
  }

  /** Pays, draws, and keeps the report. Nothing is sent yet. */
  async answer(values) {
    if (!this.round) throw new KithError("argument", "nothing is asked");
    const saved = this.engine.answer(this.record.saved, await this.allowed(),
      this.task, this.round, [...values]);
    this.record = { ...this.record, saved };
    await this.keep();
    return this.engine.envelope(saved);
  }

  /** Sends the kept report, again if need be: always the same bytes. */
  async send({ spread = this.status?.spread ?? 0, sleep = wait } = {}) {
    const body = this.engine.envelope((await this.store.get(this.name)).saved);
    if (!body) throw new KithError("argument", "answer first");
    const headers = { "Content-Type": "application/vnd.kith.report" };
    await sleep(Math.random() * spread * 1000);
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
        if (!again) throw last;
      } catch (error) {
        if (error === last) throw error;
        last = error;
      }
      if (passed >= GIVE_UP) throw last;
      const now = Math.random() * pause;
      passed += pause;
      await sleep(now);
    }
    this.record.sent = true;
    await this.keep();
  }
}
