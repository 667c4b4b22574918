import { GrepInput } from '../binding/index.js';
import { CairnError } from '@cairn/tool/kernel';

/** Passes a string to a search, chunk by chunk, as the search reads it. */
export class InputFeed {
  readonly native: GrepInput = new GrepInput();
  readonly #iterator: AsyncIterator<Uint8Array>;
  /** Rejects when the text cannot be read; otherwise it stays pending. */
  readonly failure: Promise<never>;

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#iterator = input[Symbol.asyncIterator]();
    this.failure = new Promise((_, reject) => {
      this.#feed().catch(reject);
    });
  }

  async #feed(): Promise<void> {
    while (await this.native.wanted()) {
      const next = await this.#iterator.next();
      if (next.done === true) {
        this.native.end();
        return;
      }
      if (!(next.value instanceof Uint8Array)) {
        const message = 'invalid option input of grep: a chunk that is not a Uint8Array; use a stream of bytes';
        throw new CairnError('INVALID_OPTION', message, { option: 'input' });
      }
      this.native.push(next.value);
    }
  }

  /** Closes the text. A chunk that is still awaited is not waited for. */
  end(): void {
    this.native.end();
    this.#iterator.return?.().catch(() => undefined);
  }
}
