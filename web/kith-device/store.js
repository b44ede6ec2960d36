// Where devices are kept: one record a task, also of finished tasks, because
// the wallet is their sum. put() must not return before the bytes are safe.

/** For tests, and for hosts that keep records themselves. */
export class MemoryStore {
  constructor() { this.records = new Map(); }
  async get(task) { return this.records.get(task) || null; }
  async put(task, record) { this.records.set(task, structuredClone(record)); }
  async all() { return [...this.records.entries()]; }
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

  put(task, record) {
    return new Promise((resolve, reject) => {
      const work = this.table("readwrite");
      work.objectStore(TABLE).put(record, task);
      work.oncomplete = () => resolve();
      work.onabort = work.onerror = () => reject(work.error);
    });
  }

  async all() {
    const table = this.table("readonly").objectStore(TABLE);
    const [keys, values] = await Promise.all([done(table.getAllKeys()),
      done(table.getAll())]);
    return keys.map((key, i) => [key, values[i]]);
  }
}
