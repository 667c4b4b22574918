import { readNames, type NameList } from '../terminal/name-list.ts';

export interface ByteStream extends AsyncIterable<Uint8Array> {
  destroy(): unknown;
}

/** A long list is ranked less often while it grows, because each time costs more. */
const MIN_DELAY_MS = 50;
const NAMES_PER_MS = 1000;
const EMPTY: NameList = { names: [], lossyNames: new Set() };

export class NameFeed {
  readonly #stream: ByteStream;
  /** The names so far: another list after each change. */
  list = EMPTY;
  isComplete = false;
  /** Why the list ends early. */
  failure: unknown;
  /** The names that were read, which grow. */
  #read = EMPTY;
  #timer: NodeJS.Timeout | undefined;
  #onChange: () => void = () => undefined;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  /** Begins to read. `onChange` is called after each change, not for every name. */
  start(onChange: () => void): void {
    this.#onChange = onChange;
    const finish = (failure?: unknown): void => {
      this.failure = failure;
      this.isComplete = true;
      this.#publish();
    };
    readNames(this.#stream, (list) => this.#grow(list)).then((list) => {
      this.#read = list;
      finish();
    }, finish);
  }

  stop(): void {
    this.#onChange = () => undefined;
    clearTimeout(this.#timer);
    this.#stream.destroy();
  }

  #grow(list: NameList): void {
    this.#read = list;
    this.#timer ??= setTimeout(() => this.#publish(), MIN_DELAY_MS + list.names.length / NAMES_PER_MS);
  }

  #publish(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A frozen list is prepared once for all its searches.
    this.list = { ...this.#read, names: Object.freeze([...this.#read.names]) };
    this.#onChange();
  }
}
