/** The window of a model: what its server states, and what its errors taught. */
import { DEFAULT_WINDOW_TOKENS } from '@cairn/context/internal';
import { isObject, writeAtomically } from '@cairn/tool/kernel';
import { readFile } from 'node:fs/promises';
import { parseJson } from './parse-json.ts';
import { MIN_WINDOW_TOKENS } from './too-long.ts';

/** After this time a limit that an error taught is tried again: the server may have been given more memory. */
const LEARNED_MS = 7 * 24 * 60 * 60 * 1000;
/** The models that a file keeps, the newest. */
const MAX_MODELS = 200;

interface Remembered {
  /** What the server stated in its list of models. */
  readonly stated?: number | undefined;
  /** The largest window after an error of the server, and when. */
  readonly learned?: number | undefined;
  readonly learnedAt?: number | undefined;
}

function isTokens(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= MIN_WINDOW_TOKENS;
}

/** Reads an entry. An invalid field counts as missing. */
function rememberedOf(value: unknown): Remembered {
  if (!isObject(value)) return {};
  const { stated, learned, learnedAt } = value;
  const hasLearned = isTokens(learned) && typeof learnedAt === 'number' && learnedAt <= Date.now();
  return { ...(isTokens(stated) && { stated }), ...(hasLearned && { learned, learnedAt }) };
}

/** The windows of models by their names, in a file or in this process. A file that cannot be read or written changes no run. */
export class WindowStore {
  readonly #file: string | undefined;
  readonly #own = new Map<string, Remembered>();

  /** @param file absolute. @default none */
  constructor(file: string | undefined) {
    this.#file = file;
  }

  async get(model: string): Promise<Remembered> {
    return { ...(await this.#read()).get(model), ...this.#own.get(model) };
  }

  async set(model: string, changed: Remembered): Promise<void> {
    this.#own.set(model, { ...this.#own.get(model), ...changed });
    if (this.#file === undefined) return;
    // Another process that writes concurrently may win: the limit is then learned again.
    const all = await this.#read();
    const entry = { ...all.get(model), ...changed };
    all.delete(model);
    all.set(model, entry);
    const models = Object.fromEntries([...all].slice(-MAX_MODELS));
    await writeAtomically(this.#file, `${JSON.stringify({ models }, undefined, 2)}\n`).catch(() => undefined);
  }

  async #read(): Promise<Map<string, Remembered>> {
    const text = this.#file === undefined ? '' : await readFile(this.#file, 'utf8').catch(() => '');
    const value = parseJson(text);
    const models = isObject(value) && isObject(value['models']) ? value['models'] : {};
    return new Map(Object.entries(models).map(([name, one]) => [name, rememberedOf(one)]));
  }
}

export interface ModelWindowOptions {
  /** The server and the id of the model. */
  readonly model: string;
  readonly store: WindowStore;
  /** Asks the server for the window. @default the server is not asked */
  readonly ask?: (() => Promise<number | undefined>) | undefined;
}

export class ModelWindow {
  readonly #options: ModelWindowOptions;
  #asked: Promise<void> | undefined;

  constructor(options: ModelWindowOptions) {
    this.#options = options;
  }

  /** Returns the window in tokens, from what is known now. Sends nothing. */
  async tokens(): Promise<number> {
    const { model, store } = this.#options;
    const { stated = DEFAULT_WINDOW_TOKENS, learned, learnedAt = 0 } = await store.get(model);
    return learned === undefined || Date.now() - learnedAt > LEARNED_MS ? stated : Math.min(stated, learned);
  }

  /** Asks the server, once. Never rejects. */
  ask(): Promise<void> {
    return (this.#asked ??= this.#ask());
  }

  async #ask(): Promise<void> {
    const { model, store, ask } = this.#options;
    const stated = await ask?.().catch(() => undefined);
    if (!isTokens(stated)) return;
    if ((await store.get(model)).stated !== stated) await store.set(model, { stated });
  }

  /** Remembers a limit after an error of the server. */
  async learn(tokens: number): Promise<void> {
    if (isTokens(tokens))
      await this.#options.store.set(this.#options.model, { learned: tokens, learnedAt: Date.now() });
  }
}
