// Compiled by tsc, never run: what index.d.ts lets a program say. Some lines
// must be refused; tsc complains when an error that is expected is missing.
import { Device, Engine, IndexedStore, KithError, MemoryStore, taskName }
  from "../index.js";
import type { Explanation, Record, Store, TaskFacts } from "../index.js";

declare const wasm: ArrayBuffer;
const stores: Store[] = [new MemoryStore(), await IndexedStore.open()];

const device = await Device.join({ server: "https://example.org", task: "x",
  store: stores[0], policy: { wallet: 4, leastGroup: 100 }, wasm });
await device.enrol("code");
const state: "waiting" | "asked" | "done" | "over" =
  await device.poll({ wait: 25 });
const words: Explanation = await device.explain();
const shown: Uint8Array = await device.answer([1, 2, words.likely]);
const kept: Uint8Array | null = device.envelope();
await device.send({ spread: 1, sleep: async (ms: number) => { void ms; } });
const facts: TaskFacts = device.facts;
const name: string = taskName(facts.id) + state + device.status?.state;
const refused: string | undefined = device.record.refused;

const next: Record = await stores[1].update("x", (record, others) =>
  record ?? others[0]);
const engine = await Engine.load(wasm);
const spent: bigint = engine.spent(next.saved);
const position: number = engine.position(next.saved).next;
const preview: Uint8Array = engine.preview(next.saved, "round");
const error: string = new KithError("privacy", "why").type;

// @ts-expect-error: a store is needed
await Device.join({ server: "https://example.org", task: "x", wasm });
// @ts-expect-error: values are numbers
await device.answer(["1"]);
// @ts-expect-error: a policy has no such field
engine.join("task", { epsilon: 3 });
// @ts-expect-error: facts are read-only
device.facts = facts;
// @ts-expect-error: a record must come out of a change
await stores[0].update("x", () => undefined);

export { shown, kept, name, refused, spent, position, preview, error };
