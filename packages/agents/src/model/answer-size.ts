import { AnswerError } from './model-failure.ts';
import type { StreamPart } from './model-object.ts';

/** The largest answer: text, reasoning and the arguments of calls together, in UTF-8. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Counts an answer. */
export class AnswerSize {
  #deltas = 0;
  #calls = 0;

  /** @throws {AnswerError} `too-large` when the answer is larger than an answer may be. */
  add(part: StreamPart): void {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'tool-input-delta') {
      this.#deltas += Buffer.byteLength(part.delta);
      // Calls repeat the arguments that were streamed.
    } else if (part.type === 'tool-call') this.#calls += Buffer.byteLength(part.input);
    checkSize(Math.max(this.#deltas, this.#calls));
  }
}

function checkSize(bytes: number): void {
  if (bytes <= MAX_ANSWER_BYTES) return;
  throw new AnswerError('too-large', `answered with more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB of text`);
}

/** Checks an answer that was not streamed. @throws {AnswerError} `too-large`. */
export function checkContent(
  content: readonly { readonly type: string; readonly text?: unknown; readonly input?: unknown }[],
): void {
  const sizeOf = (value: unknown): number => (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  checkSize(content.reduce((sum, { text, input }) => sum + sizeOf(text) + sizeOf(input), 0));
}
