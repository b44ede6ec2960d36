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
}

export interface Record {
  task: string; saved: Uint8Array; sent: boolean; over: boolean;
  enrolled?: boolean; next?: number;
}

export interface Store {
  get(task: string): Promise<Record | null>;
  /** Must not resolve before the bytes are safe. */
  put(task: string, record: Record): Promise<void>;
  all(): Promise<[string, Record][]>;
}

export class MemoryStore implements Store {
  get(task: string): Promise<Record | null>;
  put(task: string, record: Record): Promise<void>;
  all(): Promise<[string, Record][]>;
}

export class IndexedStore implements Store {
  static open(name?: string): Promise<IndexedStore>;
  get(task: string): Promise<Record | null>;
  put(task: string, record: Record): Promise<void>;
  all(): Promise<[string, Record][]>;
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
    Explanation;
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

export class Device {
  readonly facts: TaskFacts;
  static join(options: JoinOptions): Promise<Device>;
  enrol(invitation?: string): Promise<void>;
  poll(): Promise<"waiting" | "asked" | "done" | "over">;
  explain(): Promise<Explanation>;
  /** Pays, draws and keeps the report; the 80 bytes that send() will send. */
  answer(values: Iterable<number>): Promise<Uint8Array>;
  send(options?: { spread?: number; sleep?: (ms: number) => Promise<void> }):
    Promise<void>;
}

/** The 22 characters of a task's id in links. */
export function taskName(id: Uint8Array): string;
