// The WebAssembly module as plain functions on bytes. Everything that decides
// about privacy is in there, compiled from the same C as libkith-device; this
// file only moves bytes in and out of its memory.

const STATUS = ["ok", "argument", "memory", "store", "input", "privacy",
  "budget", "entropy", "cancelled", "internal"];
const DEVICE = 320, HOST = 48, SAVED = 256, ENVELOPE = 80;

/** What was refused, and why. `type` is a status, or a problem's name. */
export class KithError extends Error {
  constructor(type, message) {
    super(message || type);
    this.name = "KithError";
    this.type = type;
  }
}

async function secureRandom() {
  // node 18 has it in a module only
  const { getRandomValues } = globalThis.crypto ? { getRandomValues:
    (part) => globalThis.crypto.getRandomValues(part) }
    : await import("node:crypto");
  return (bytes) => {
    for (let at = 0; at < bytes.length; at += 65536)
      getRandomValues(bytes.subarray(at, at + 65536));
  };
}

export class Engine {
  /** source: bytes of kith_device.wasm, or a compiled WebAssembly.Module.
   *  random: fills an array with secret bytes; only tests give another. */
  static async load(source, random = null) {
    const engine = new Engine();
    random ||= await secureRandom();
    const imports = { kith: { random: (at, count) => {
      try {
        const bytes = new Uint8Array(count); // getRandomValues of a view of
        random(bytes);                       // wasm memory is not everywhere
        engine.bytes(at, count).set(bytes);
        bytes.fill(0);
        return 0;
      } catch {
        return 1;
      }
    } } };
    const made = await WebAssembly.instantiate(source, imports);
    engine.c = (made.instance || made).exports;
    return engine;
  }

  bytes(at, count) { return new Uint8Array(this.c.memory.buffer, at, count); }
  view() { return new DataView(this.c.memory.buffer); }

  take(count) {
    const at = this.c.kw_take(count);
    if (at === 0) throw new KithError("memory", "not enough memory");
    return at;
  }

  put(bytes) {
    const at = this.take(bytes.length);
    this.bytes(at, bytes.length).set(bytes);
    return at;
  }

  get(at, count) { return this.bytes(at, count).slice(); }

  text(at) {
    const all = new Uint8Array(this.c.memory.buffer, at);
    return new TextDecoder().decode(all.subarray(0, all.indexOf(0)).slice());
  }

  /** Memory taken inside is wiped and free afterwards. */
  scope(body) {
    const mark = this.c.kw_mark();
    try {
      return body();
    } finally {
      this.c.kw_release(mark);
    }
  }

  check(status, why) {
    if (status !== 0)
      throw new KithError(STATUS[status] || "internal", this.text(why));
  }

  /** A view of a task file or of a round; lives until its scope ends. */
  open(kind, json) {
    const bytes = typeof json === "string" ? new TextEncoder().encode(json)
      : json;
    const room = this.c.kith_view_room(bytes.length);
    const from = this.put(bytes), arena = this.take(room), out = this.take(16);
    const status = this.c[`kith_${kind}_open`](from, bytes.length, arena, room,
      out, out + 4);
    this.check(status, this.view().getUint32(out + 4, true));
    return this.view().getUint32(out, true);
  }

  host(policy = {}) {
    const at = this.take(HOST);
    this.c.kw_host(at, policy.wallet ?? 8, BigInt(policy.spent ?? 0),
      BigInt(policy.leastGroup ?? 50), policy.testTasks ? 1 : 0);
    return at;
  }

  device(saved) {
    const at = this.take(DEVICE);
    if (saved)
      this.on(at, "load", this.put(saved));
    return at;
  }

  /** A call on a device that may be refused. */
  on(device, name, ...args) {
    const status = this.c[`kith_device_${name}`](device, ...args);
    if (status !== 0) this.check(status, this.c.kith_device_why(device));
  }

  save(device) {
    const at = this.take(SAVED);
    this.c.kith_device_save(device, at);
    return this.get(at, SAVED);
  }

  // ---- the steps of a device: saved bytes in, saved bytes out --------------

  describe(task) {
    return this.scope(() => {
      const view = this.open("task", task), at = this.take(64);
      this.c.kith_task_describe(view, at);
      const m = this.view(), n = m.getUint32(at + 24, true), features = [];
      const out = {
        title: this.text(m.getUint32(at, true)),
        purpose: this.text(m.getUint32(at + 4, true)),
        operator: this.text(m.getUint32(at + 8, true)),
        contact: this.text(m.getUint32(at + 12, true)),
        epsilon: m.getFloat64(at + 16, true),
        clusters: m.getUint32(at + 28, true),
        test: m.getInt32(at + 32, true) !== 0,
        id: this.get(at + 36, 16),
        features,
      };
      const one = this.take(32);
      for (let i = 0; i < n; i++) {
        this.c.kith_task_feature_at(view, i, one);
        const f = this.view();
        features.push({ name: this.text(f.getUint32(one, true)),
          unit: this.text(f.getUint32(one + 4, true)),
          lower: f.getFloat64(one + 8, true),
          upper: f.getFloat64(one + 16, true) });
      }
      return out;
    });
  }

  join(task, policy) {
    return this.scope(() => {
      const device = this.device(), out = this.take(16);
      this.on(device, "join", this.host(policy), this.open("task", task));
      this.c.kith_device_commitment(device, out);
      return { saved: this.save(device), commitment: this.get(out, 16) };
    });
  }

  commitment(saved) {
    return this.scope(() => {
      const device = this.device(saved), out = this.take(16);
      this.c.kith_device_commitment(device, out);
      return this.get(out, 16);
    });
  }

  enrolled(saved, tag, round = 0, digest = null) {
    return this.scope(() => {
      const device = this.device(saved);
      this.on(device, "enrolled", this.put(tag), round,
        digest ? this.put(digest) : 0);
      return this.save(device);
    });
  }

  read(saved, policy, round) {
    return this.scope(() => {
      const device = this.device(saved), asked = this.take(16);
      this.on(device, "read", this.host(policy), this.open("round", round),
        asked);
      return { saved: this.save(device),
        asked: this.view().getInt32(asked, true) !== 0 };
    });
  }

  explain(saved, policy, round) {
    return this.scope(() => {
      const device = this.device(saved), at = this.take(48 + 1024);
      this.on(device, "explain", this.host(policy), this.open("round", round),
        at);
      const m = this.view();
      return { epsilon: m.getFloat64(at, true),
        left: m.getFloat64(at + 8, true),
        numbers: Number(m.getBigUint64(at + 16, true)),
        favoured: Number(m.getBigUint64(at + 24, true)),
        likely: m.getFloat64(at + 32, true),
        unlikely: m.getFloat64(at + 40, true),
        text: this.text(at + 48) };
    });
  }

  /** The 80 bytes that an answer would send, but for the number: bytes[1] - 40
   *  of them, from 76, are 0 here and not drawn before the answer. */
  preview(saved, round) {
    return this.scope(() => {
      const device = this.device(saved), out = this.take(ENVELOPE);
      this.on(device, "preview", this.open("round", round), out);
      return this.get(out, ENVELOPE);
    });
  }

  /** The round to read next, and whether an earlier one was read. */
  position(saved) {
    const bytes = new DataView(saved.buffer, saved.byteOffset, SAVED);
    const next = bytes.getUint32(4, true);
    return { next, read: next > 0 && bytes.getUint8(8) === 0 };
  }

  /** Pays and draws. Keep what comes back before anything is sent. */
  answer(saved, policy, task, round, values) {
    return this.scope(() => {
      const device = this.device(saved), view = this.open("task", task);
      const at = this.open("round", round), x = this.take(8 * values.length);
      const facts = this.take(64);
      this.c.kith_task_describe(view, facts);
      if (this.view().getUint32(facts + 24, true) !== values.length)
        throw new KithError("argument", "another number of values is needed");
      values.forEach((v, i) => this.view().setFloat64(x + 8 * i, v, true));
      const scratch = this.take(this.c.kith_device_scratch(at));
      this.on(device, "answer", this.host(policy), view, at, x, scratch);
      return this.save(device);
    });
  }

  /** What to send; null when there is no answer yet. */
  envelope(saved) {
    return this.scope(() => {
      const out = this.take(ENVELOPE);
      const status = this.c.kith_device_envelope(this.put(saved), out);
      if (status === 1) return null;
      if (status !== 0)
        throw new KithError(STATUS[status], "the saved device is damaged");
      return this.get(out, ENVELOPE);
    });
  }

  /** What a saved device was charged, in units of 2^-50. */
  spent(saved) {
    return this.scope(() => {
      const out = this.take(16);
      if (this.c.kith_device_spent(this.put(saved), out) !== 0)
        throw new KithError("input", "a saved device is damaged");
      return this.view().getBigUint64(out, true);
    });
  }
}
