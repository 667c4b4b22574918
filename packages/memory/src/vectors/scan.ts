/** Multiplies one vector with many. */

/**
 * The vectors are 16-bit numbers in the memory of this module, so that one instruction multiplies eight of them:
 *
 * ```wat
 * (module
 *   (import "vectors" "memory" (memory 1))
 *   (func (export "scan") (param $query i32) (param $vector i32) (param $scores i32) (param $count i32) (param $bytes i32)
 *     (local $at i32) (local $end i32) (local $sum v128)
 *     (local.set $end (i32.add (local.get $query) (local.get $bytes)))
 *     (loop $vectors
 *       (local.set $sum (v128.const i64x2 0 0))
 *       (local.set $at (local.get $query))
 *       (loop $numbers
 *         (local.set $sum (i32x4.add (local.get $sum)
 *           (i32x4.dot_i16x8_s (v128.load (local.get $at)) (v128.load (local.get $vector)))))
 *         (local.set $vector (i32.add (local.get $vector) (i32.const 16)))
 *         (br_if $numbers (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
 *       (i32.store (local.get $scores) (i32.add
 *         (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
 *         (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
 *       (local.set $scores (i32.add (local.get $scores) (i32.const 4)))
 *       (br_if $vectors (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))))
 * ```
 */
const MODULE = [
  'AGFzbQEAAAABCQFgBX9/f39/AAITAQd2ZWN0b3JzBm1lbW9yeQIAAQMCAQAHCAEEc2NhbgAACoMBAYABAgJ/AXsgACAEaiEGA0D9DAAAAAAAAAAAAAAAAAAA',
  'AAAhByAAIQUDQCAHIAX9AAQAIAH9AAQA/boB/a4BIQcgAUEQaiEBIAVBEGoiBSAGSQ0ACyACIAf9GwAgB/0bAWogB/0bAiAH/RsDamo2AgAgAkEEaiECIANB',
  'AWsiAw0ACws=',
].join('');

/** The module reads this many numbers at once. */
const LANES = 8;
const PAGE_BYTES = 64 * 1024;
/** Numbers that are multiplied before other work runs: a few milliseconds. */
const NUMBERS_PER_TURN = 4 * 1024 * 1024;
/** One gigabyte: 1.3 million vectors of 384 numbers, or half a million of 1,024. */
const MAX_BYTES = 1024 ** 3;

/** The part of WebAssembly that this uses: the types of Node lack it. */
interface Memory {
  readonly buffer: ArrayBuffer;
  readonly grow: (pages: number) => number;
}
interface Wasm {
  readonly Memory: new (limits: { readonly initial: number }) => Memory;
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly vectors: { readonly memory: Memory } },
  ) => { readonly exports: Readonly<Record<string, unknown>> };
}
const wasm = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;

type Scan = (...args: [query: number, vector: number, scores: number, count: number, bytes: number]) => void;

/** Does the same without instructions for vectors, three times slower: for a processor or a Node that lacks them. */
function slowScan(memory: Memory): Scan {
  return (...args) => {
    const [query, vector, scores, count, bytes] = args;
    const numbers = new Int16Array(memory.buffer);
    const results = new Int32Array(memory.buffer);
    const width = bytes / 2;
    const from = query / 2;
    for (let row = 0, at = vector / 2; row < count; row++, at += width) {
      let sum = 0;
      for (let index = 0; index < width; index++) {
        sum = (sum + Math.imul(numbers[from + index] ?? 0, numbers[at + index] ?? 0)) | 0;
      }
      results[scores / 4 + row] = sum;
    }
  };
}

function fastScan(memory: Memory): Scan | undefined {
  try {
    const compiled = new wasm.Module(Buffer.from(MODULE, 'base64'));
    return new wasm.Instance(compiled, { vectors: { memory } }).exports['scan'] as Scan;
  } catch {
    return undefined;
  }
}

/** Vectors with the same number of dimensions, each in a slot. */
export class VectorMemory {
  /** The numbers of a slot, a multiple of {@link LANES}. The last ones may be zeros. */
  readonly #width: number;
  readonly #memory: Memory;
  readonly #scan: Scan;
  /** The bytes of the query and of the scores of a turn, before the vectors. */
  readonly #head: number;
  readonly #perTurn: number;
  #slots = 0;

  constructor(dimension: number, { isFast = true }: { readonly isFast?: boolean | undefined } = {}) {
    this.#width = Math.ceil(dimension / LANES) * LANES;
    this.#perTurn = Math.max(1, Math.floor(NUMBERS_PER_TURN / this.#width));
    this.#head = this.#width * 2 + Math.ceil(this.#perTurn / 4) * 16;
    this.#memory = new wasm.Memory({ initial: Math.ceil(this.#head / PAGE_BYTES) });
    this.#scan = (isFast ? fastScan(this.#memory) : undefined) ?? slowScan(this.#memory);
  }

  /** The number of slots. */
  get slots(): number {
    return this.#slots;
  }

  /** Adds a vector. @returns its slot; `undefined` when there is no room. */
  add(numbers: Int16Array): number | undefined {
    const bytes = this.#head + (this.#slots + 1) * this.#width * 2;
    const missing = bytes - this.#memory.buffer.byteLength;
    if (missing > 0 && !this.#grow(missing)) return undefined;
    const slot = this.#slots++;
    this.set(slot, numbers);
    return slot;
  }

  set(slot: number, numbers: Int16Array): void {
    new Int16Array(this.#memory.buffer, this.#head + slot * this.#width * 2, this.#width).set(numbers);
  }

  /** Copies the scores of all slots, which are the products with a query, in turns of the event loop. */
  async *scores(query: Int16Array): AsyncGenerator<{ readonly from: number; readonly scores: Int32Array }, void> {
    const slots = this.#slots;
    for (let from = 0; from < slots; from += this.#perTurn) {
      const count = Math.min(this.#perTurn, slots - from);
      // Another search may have used it in between.
      new Int16Array(this.#memory.buffer, 0, this.#width).set(query);
      const bytes = this.#width * 2;
      this.#scan(0, this.#head + from * bytes, bytes, count, bytes);
      yield { from, scores: new Int32Array(this.#memory.buffer, bytes, count).slice() };
    }
  }

  /** Grows by at least a fifth, because each time all views of the memory become invalid. */
  #grow(missing: number): boolean {
    const bytes = this.#memory.buffer.byteLength;
    if (bytes + missing > MAX_BYTES) return false;
    try {
      this.#memory.grow(Math.ceil(Math.min(Math.max(missing, bytes / 5), MAX_BYTES - bytes) / PAGE_BYTES));
      return true;
    } catch {
      return false;
    }
  }
}
