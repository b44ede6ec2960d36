/** What was refused, and why. `type`: a status such as "privacy" or "budget",
 *  or the name of a service's problem such as "round_closed". */
export class KithError extends Error {
  type: string;
  constructor(type: string, message?: string);
}

export interface Policy {
  /** Epsilon of all tasks of this person together; 8 unless said. */
  wallet?: number;
  /** Fewest users in a group; 50 unless said. */
  leastGroup?: number;
  /** Answer tasks that are marked as tests. */
  testTasks?: boolean;
  /** Spent by other tasks, in units of 2^-50. Device fills it in. */
  spent?: bigint;
}

export interface Feature { name: string; unit: string; lower: number; upper: number; }

export interface TaskFacts {
  title: string; purpose: string; operator: string; contact: string;
  epsilon: number; clusters: number; test: boolean; id: Uint8Array;
  features: Feature[];
}

export interface Explanation {
  epsilon: number; left: number;
  /** The report is one number below `numbers`; so many are favoured. */
  numbers: number; favoured: number;
  /** Chance of a favoured number, and of any other. */
  likely: number; unlikely: number;
  text: string;
  /** The 80 bytes, but for the number: bytes[1] - 40 of them, from 76. */
  bytes: Uint8Array;
}

export interface Record {
  task: string; saved: Uint8Array;
  enrolled: boolean; sent: boolean; over: boolean;
  /** The problem for which the service took no report, for good. */
  refused?: string;
}

export interface Store {
  get(task: string): Promise<Record | null>;
  all(): Promise<[string, Record][]>;
  /** Reads, changes and writes one record as one transaction. `change` sees
   *  the record as it is kept now and the records of all other tasks; if it
   *  throws, nothing changes. Must not resolve before the bytes are safe. */
  update(task: string, change: (record: Record | null, others: Record[]) =>
    Record): Promise<Record>;
}

export class MemoryStore implements Store {
  get(task: string): Promise<Record | null>;
  all(): Promise<[string, Record][]>;
  update(task: string, change: (record: Record | null, others: Record[]) =>
    Record): Promise<Record>;
}

export class IndexedStore implements Store {
  static open(name?: string): Promise<IndexedStore>;
  get(task: string): Promise<Record | null>;
  all(): Promise<[string, Record][]>;
  update(task: string, change: (record: Record | null, others: Record[]) =>
    Record): Promise<Record>;
}

/** The module as functions from saved bytes to saved bytes. */
export class Engine {
  static load(source: BufferSource | WebAssembly.Module,
              random?: (bytes: Uint8Array) => void): Promise<Engine>;
  describe(task: string | Uint8Array): TaskFacts;
  join(task: string | Uint8Array, policy?: Policy):
    { saved: Uint8Array; commitment: Uint8Array };
  commitment(saved: Uint8Array): Uint8Array;
  enrolled(saved: Uint8Array, tag: Uint8Array, round?: number,
           digest?: Uint8Array | null): Uint8Array;
  read(saved: Uint8Array, policy: Policy, round: string | Uint8Array):
    { saved: Uint8Array; asked: boolean };
  explain(saved: Uint8Array, policy: Policy, round: string | Uint8Array):
    Omit<Explanation, "bytes">;
  preview(saved: Uint8Array, round: string | Uint8Array): Uint8Array;
  position(saved: Uint8Array): { next: number; read: boolean };
  answer(saved: Uint8Array, policy: Policy, task: string | Uint8Array,
         round: string | Uint8Array, values: number[]): Uint8Array;
  envelope(saved: Uint8Array): Uint8Array | null;
  spent(saved: Uint8Array): bigint;
}

export interface JoinOptions {
  server: string; task: string; store: Store; policy?: Policy;
  wasm: BufferSource | WebAssembly.Module;
  fetch?: typeof fetch;
  /** Only tests give another source of secret bytes. */
  random?: (bytes: Uint8Array) => void;
}

/** What a service says about a task. */
export interface Status {
  state: string; round: number | null; digest: string | null;
  closes_at: number | null; spread: number; wait: number;
}

export class Device {
  readonly facts: TaskFacts;
  /** As it was kept last. */
  readonly record: Record;
  /** As of the last poll(). */
  readonly status: Status | null;
  static join(options: JoinOptions): Promise<Device>;
  enrol(invitation?: string): Promise<void>;
  /** wait: seconds that the service may hold its answer. */
  poll(options?: { wait?: number }):
    Promise<"waiting" | "asked" | "done" | "over">;
  explain(): Promise<Explanation>;
  /** The kept 80 bytes that send() sends; null before an answer. */
  envelope(): Uint8Array | null;
  /** Pays, draws and keeps the report; the 80 bytes that send() will send. */
  answer(values: Iterable<number>): Promise<Uint8Array>;
  send(options?: { spread?: number; sleep?: (ms: number) => Promise<void> }):
    Promise<void>;
}

/** The 22 characters of a task's id in links. */
export function taskName(id: Uint8Array): string;
