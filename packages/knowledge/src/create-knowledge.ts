import type { MemoryBackend } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { homeDirectory } from '@cairn/tool/paths';
import { join } from 'node:path';
import { knowledgeDirectory } from './directory.ts';
import { openLocalStore } from './stores/local.ts';
import type { LocalStore } from './stores/local.ts';

/** The language of texts for a model. */
export type Language = 'en' | 'zh';

export interface KnowledgeOptions {
  /** @default see {@link knowledgeDirectory} */
  readonly directory?: string | undefined;
  /** The store of the assets. @default `knowledge.db` in the directory */
  readonly backend?: MemoryBackend | undefined;
  /** The language of texts for a model. @default 'en' */
  readonly language?: Language | undefined;
  /** Milliseconds since the epoch. @default the clock of the backend */
  readonly clock?: (() => number) | undefined;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** What a team knows. */
export interface Knowledge extends AsyncDisposable {
  /** The directory of the index, of the clone of the team store, and of the local store. */
  readonly directory: string;
  readonly language: Language;
  readonly store: LocalStore;
  /** Closes the store that this opened, and one that was given. May be called twice. */
  readonly close: () => Promise<void>;
}

/** The file of the local store in the knowledge directory. */
export const STORE_FILE = 'knowledge.db';

/** Opens the knowledge of a user. The store is opened on first use. */
export function createKnowledge(options: KnowledgeOptions = {}): Knowledge {
  const { language = 'en', clock, env = process.env } = options;
  const place = { env, home: homeDirectory(), platform: process.platform };
  const directory = options.directory ?? knowledgeDirectory(place);
  const backend = options.backend ?? sqlite({ path: join(directory, STORE_FILE) });
  const store = openLocalStore({ backend, clock });
  const close = (): Promise<void> => backend.close();
  return { directory, language, store, close, [Symbol.asyncDispose]: close };
}
