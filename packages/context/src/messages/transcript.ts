import type { Language } from '@cairn/tool/kernel';
import type { CountTokens } from '@cairn/tool/prompt';
import { countImages, MAX_IMAGES, withNewestImages } from './images.ts';
import type { UnifiedMessage } from './message.ts';
import { CallPairs } from './pairs.ts';
import { renderTurn } from './render.ts';
import type { TurnRange } from './render.ts';
import { tokensOf } from './tokens.ts';
import { beginsTurn } from './turns.ts';

/** A turn of a history and the messages that are sent for it. */
export interface RenderedTurn extends TurnRange {
  readonly messages: readonly UnifiedMessage[];
  /** The same with all images. */
  readonly whole: readonly UnifiedMessage[];
  /** The images in `whole`, and those in `messages`. */
  readonly images: number;
  readonly shownImages: number;
  readonly tokens: number;
  /** The tokens of the messages of the user that begin it. */
  readonly promptTokens: number;
  /** The tokens of the turns before it. */
  readonly tokensBefore: number;
}

export interface TranscriptOptions {
  readonly language: Language;
  /** The agent whose view it is; absent for main itself. */
  readonly agent: string | undefined;
  /** Whether the history is main's: only there turns can be other agents'. */
  readonly isMain: boolean;
  readonly countTokens: CountTokens;
}

/**
 * A history as turns that can be sent. It reads only the messages that were added since the last time: the history may grow,
 * and be replaced by another array, but messages may not change in place.
 */
export class Transcript {
  readonly turns: RenderedTurn[] = [];
  /** Increases when a turn before the last one changed. */
  version = 0;
  readonly #options: TranscriptOptions;
  #ranges: TurnRange[] = [];
  #pairs = new CallPairs();
  #count = 0;
  #last: UnifiedMessage | undefined;

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  read(history: readonly UnifiedMessage[]): this {
    if (history.length < this.#count || history[this.#count - 1] !== this.#last) this.#reset();
    if (history.length === this.#count) return this;
    const known = this.turns.length;
    let oldest = this.#count;
    for (let index = this.#count; index < history.length; index++) {
      const message = history[index];
      if (message === undefined) continue;
      oldest = Math.min(oldest, this.#pairs.add(message, index));
      const range = this.#ranges.at(-1);
      if (range === undefined || beginsTurn(message, history[index - 1]))
        this.#ranges.push({ from: index, to: index + 1 });
      else this.#ranges[this.#ranges.length - 1] = { from: range.from, to: index + 1 };
    }
    this.#count = history.length;
    this.#last = history.at(-1);
    const changed = Math.min(
      known,
      this.#ranges.findLastIndex(({ from }) => from <= oldest),
    );
    if (changed < known - 1) this.version++;
    this.turns.length = changed;
    for (const range of this.#ranges.slice(changed)) this.turns.push(this.#render(history, range));
    this.#limitImages();
    return this;
  }

  /** Shows the newest images of the history only. Each turn with others is made again. */
  #limitImages(): void {
    let left = MAX_IMAGES;
    let changed = this.turns.length;
    for (let index = this.turns.length - 1; index >= 0; index--) {
      const turn = this.turns[index];
      if (turn === undefined || turn.images === 0) continue;
      const { images, shownImages } = turn;
      const shown = Math.min(images, left);
      left -= shown;
      if (shown === shownImages) {
        // Images of older turns have been left out before.
        if (shown === 0) break;
        continue;
      }
      this.turns[index] = this.#size(turn, turn.whole, shown);
      changed = index;
    }
    if (changed < this.turns.length - 1) this.version++;
    for (let index = changed + 1; index < this.turns.length; index++) {
      const [before, turn] = [this.turns[index - 1], this.turns[index]];
      if (before === undefined || turn === undefined) continue;
      this.turns[index] = { ...turn, tokensBefore: before.tokensBefore + before.tokens };
    }
  }

  #reset(): void {
    this.turns.length = 0;
    this.version++;
    this.#ranges = [];
    this.#pairs = new CallPairs();
    this.#count = 0;
    this.#last = undefined;
  }

  #render(history: readonly UnifiedMessage[], range: TurnRange): RenderedTurn {
    const { language, agent, isMain } = this.#options;
    const isForeign = (other: string): boolean => isMain && other !== agent;
    const whole = renderTurn(history, range, { language, pairs: this.#pairs, isForeign });
    const before = this.turns.at(-1);
    const tokensBefore = before === undefined ? 0 : before.tokensBefore + before.tokens;
    return this.#size({ ...range, tokensBefore }, whole, countImages(whole));
  }

  /** Returns a turn with its newest images. */
  #size(
    { from, to, tokensBefore }: TurnRange & Pick<RenderedTurn, 'tokensBefore'>,
    whole: readonly UnifiedMessage[],
    shownImages: number,
  ): RenderedTurn {
    const { language, countTokens } = this.#options;
    const images = countImages(whole);
    const messages = shownImages === images ? whole : withNewestImages(whole, { language, max: shownImages });
    let tokens = 0;
    let promptTokens: number | undefined;
    for (const message of messages) {
      if (message.role !== 'user') promptTokens ??= tokens;
      tokens += tokensOf(message, countTokens);
    }
    return {
      from,
      to,
      messages,
      whole,
      images,
      shownImages,
      tokens,
      tokensBefore,
      promptTokens: promptTokens ?? tokens,
    };
  }
}

const transcripts = new WeakMap<readonly UnifiedMessage[], Map<string, readonly [CountTokens, Transcript]>>();

/** Returns the transcript of a history. It is kept as long as the array is. */
export function transcriptOf(history: readonly UnifiedMessage[], options: TranscriptOptions): Transcript {
  let known = transcripts.get(history);
  if (known === undefined) {
    known = new Map();
    transcripts.set(history, known);
  }
  const { language, agent, isMain, countTokens } = options;
  const key = JSON.stringify([language, isMain, isMain ? agent : undefined]);
  const [counter, found] = known.get(key) ?? [];
  if (found !== undefined && counter === countTokens) return found.read(history);
  const transcript = new Transcript(options);
  known.set(key, [countTokens, transcript]);
  return transcript.read(history);
}
