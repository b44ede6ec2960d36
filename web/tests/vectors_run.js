// The vectors of tests/vectors/device.json through the module: the same file
// runs under node and in a browser.

/** Coins that anybody can guess; tests/support/device_bed.h has the same. */
export function counter(start) {
  let state = BigInt(start);
  return (out) => {
    for (let i = 0; i < out.length; i++) {
      state = BigInt.asUintN(64, state + 1n);
      let z = BigInt.asUintN(64, state * 0x9e3779b97f4a7c15n);
      z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
      out[i] = Number(z >> 56n);
    }
  };
}

export const hex = (bytes) =>
  Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
export const bytes = (text) =>
  Uint8Array.from(text.match(/../g) || [], (h) => parseInt(h, 16));

/** What this machine makes of a vector's texts, coins and record. */
export async function play(Engine, wasm, v) {
  const engine = await Engine.load(wasm, counter(v.coins));
  const joined = engine.join(v.task, {});
  const read = engine.read(engine.enrolled(joined.saved, bytes(v.tag)), {},
    v.round);
  const preview = hex(engine.preview(read.saved, v.round));
  const saved = engine.answer(read.saved, {}, v.task, v.round, v.x);
  return { ...v, commitment: hex(joined.commitment), preview,
    text: engine.explain(read.saved, {}, v.round).text,
    saved: hex(saved), envelope: hex(engine.envelope(saved)) };
}

/** Milliseconds of one answer, round and all: the best of many, because the
 *  machine has other work. */
export async function pace(Engine, wasm, v) {
  const engine = await Engine.load(wasm), { saved } = engine.join(v.task);
  const ready = engine.read(engine.enrolled(saved, bytes(v.tag)), {}, v.round);
  let best = Infinity;
  for (let i = 0; i < 300; i++) {
    const from = performance.now();
    engine.answer(ready.saved, {}, v.task, v.round, v.x);
    best = Math.min(best, performance.now() - from);
  }
  return best;
}
