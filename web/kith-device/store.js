// Where devices are kept: one record a task, also of finished tasks, because
// the wallet is their sum. A record changes only through update(), which sees
// what is kept at that moment: two tabs cannot answer twice, or pay twice from
// what the wallet had left. update() must not return before the bytes are safe.

/** For tests, and for hosts that keep records themselves. */
export class MemoryStore {
  constructor() { this.records = new Map(); }

  async get(task) { return structuredClone(this.records.get(task) ?? null); }

  async all() { return structuredClone([...this.records.entries()]); }

  async update(task, change) {
    const kept = this.records.get(task) ?? null;
    const next = change(structuredClone(kept), structuredClone(
      [...this.records].filter(([name]) => name !== task)
        .map(([, record]) => record)));
    this.records.set(task, structuredClone(next));
    return next;
  }
}

const NAME = "kith-device", TABLE = "devices";

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** In a browser. Writes are flushed to disk before they count. */
export class IndexedStore {
  static async open(name = NAME) {
    const store = new IndexedStore();
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
    store.db = await done(request);
    return store;
  }

  table(mode) {
    return this.db.transaction(TABLE, mode, { durability: "strict" });
  }

  async get(task) {
    return (await done(this.table("readonly").objectStore(TABLE).get(task)))
      || null;
  }

  async all() {
    const table = this.table("readonly").objectStore(TABLE);
    const [keys, values] = await Promise.all([done(table.getAllKeys()),
      done(table.getAll())]);
    return keys.map((key, i) => [key, values[i]]);
  }

  /** One transaction: other tabs wait until it is on disk. */
  update(task, change) {
    return new Promise((resolve, reject) => {
      const work = this.table("readwrite"), table = work.objectStore(TABLE);
      const keys = table.getAllKeys(), values = table.getAll();
      let next = null, refused = null;
      values.onsuccess = () => {
        const at = keys.result.indexOf(task);
        try {
          next = change(values.result[at] ?? null,
            values.result.filter((_, i) => i !== at));
          table.put(next, task);
        } catch (error) {
          refused = error;
          work.abort();
        }
      };
      work.oncomplete = () => resolve(next);
      work.onabort = () => reject(refused || work.error);
    });
  }
}
