import type { CallTable, OptionNames } from '@cairn/tool/errors';
import type { Language } from '@cairn/tool/kernel';
import { checkArguments } from './errors.ts';
import type { MemoryBackend, MemoryOptions } from '@cairn/memory';
import type { Embeddings } from '@cairn/memory/embeddings';
import { Meaning } from '@cairn/memory/terms';
import { sqlite } from '@cairn/memory/sqlite';
import { homeDirectory } from '@cairn/tool/paths';
import { databasePath, knowledgeDirectory } from './directory.ts';
import { openIndex, type KnowledgeIndex } from './index/knowledge-index.ts';
import { SharedGlossary } from './index/shared-glossary.ts';
import { openGaps, type Gaps } from './gaps/gaps.ts';
import { createLayers, type Layers } from './layers/layers.ts';
import { createGapSettler } from './layers/settle-gaps.ts';
import { openLocalStore, type LocalStore, type LocalStoreOptions } from './stores/local-store.ts';
import { openHotAssets, type HotAssets } from './usage/hot-assets.ts';
import { createTeam, type Team } from './team/team.ts';
import { ChangeFollower } from './stores/change-follower.ts';
import { Eraser } from './stores/eraser.ts';
import { knowledgePayload, storePayloadOptions, type KnowledgePayloadOptions } from './payload/knowledge-payload.ts';
import { assetSource } from './stores/terms.ts';
import { openUsage, type Usage } from './usage/usage.ts';

export interface KnowledgeOptions extends Pick<LocalStoreOptions, 'clock'> {
  /** @default see {@link knowledgeDirectory} */
  readonly directory?: string | undefined;
  /** The store of the assets. @default `knowledge.db` in the directory, which is backed up once a day, see `sqlite` of `@cairn/memory` */
  readonly backend?: MemoryBackend | undefined;
  /**
   * Returns more words that mean the same, such as those of the user's file; see `glossaryFiles` of `@cairn/memory/terms`. Called by
   * each search; another array makes the glossary again. The glossary assets are used in any case.
   */
  readonly glossary?: MemoryOptions['glossary'];
  /** The language of texts for a model. @default 'en'; `AGENTS-INDEX.md` keeps its language */
  readonly language?: Language | undefined;
  /** How the commands begin that `payload` suggests. @default 'cairn' */
  readonly command?: string | undefined;
  /**
   * Whether the ranking learns from which asset was opened after which query.
   * @default true, unless the variable `CAIRN_KNOWLEDGE_LEARN` is `0` or `off`
   */
  readonly learn?: boolean | undefined;
  /** A server of embeddings, by whose vectors assets are found too. @default none: nothing is sent */
  readonly embeddings?: Embeddings | undefined;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** What a team knows. */
export interface Knowledge extends AsyncDisposable {
  /** The directory of the index, of the clone of the team store, and of the local store. */
  readonly directory: string;
  readonly language: Language;
  readonly store: LocalStore;
  /** Which assets were opened after which queries. */
  readonly usage: Usage;
  /** Reads assets from memory when they are read often. */
  readonly hot: HotAssets;
  /** The index of the assets. It follows the store and writes its files within a second of a change. */
  readonly index: KnowledgeIndex;
  /** The questions that the assets do not answer. An asset that answers one closes its gap in the background. */
  readonly gaps: Gaps;
  /** Searches the texts (L1), reads assets (L2), and goes through all layers. */
  readonly layers: Layers;
  /** The repository of git in which a team shares its assets. */
  readonly team: Team;
  /** Returns the part of the knowledge that a session of an agent sees at its start, as of now. */
  readonly payload: (options?: KnowledgePayloadOptions) => Promise<string>;
  /**
   * Closes the store that this opened, and one that was given. May be called twice.
   *
   * @param options `erases`: whether the texts that changes replaced are erased first, which takes longer in a large store; otherwise
   *   they are erased after a later change. @default true
   */
  readonly close: (options?: { readonly erases?: boolean }) => Promise<void>;
}

const knowledgeOptions: OptionNames<KnowledgeOptions> = {
  directory: 'optional',
  backend: 'optional',
  glossary: 'optional',
  language: 'optional',
  command: 'optional',
  learn: 'optional',
  clock: 'optional',
  embeddings: 'optional',
  env: 'optional',
};

const knowledgeCalls: CallTable<Knowledge> = {
  payload: [storePayloadOptions],
  close: [{ erases: 'optional' }],
};

/** Opens the knowledge of a user. The store is opened on first use. */
export function createKnowledge(options: KnowledgeOptions = {}): Knowledge {
  checkArguments.options('createKnowledge', options, knowledgeOptions);
  const { language = 'en', command, clock, embeddings, env = process.env } = options;
  const place = { env, home: homeDirectory(), platform: process.platform };
  const directory = options.directory ?? knowledgeDirectory(place);
  const backend = options.backend ?? sqlite({ path: databasePath(directory), backups: true });
  const meaning = embeddings && new Meaning(backend, embeddings);
  const store = openLocalStore({ backend, clock, meaning });
  const stop = meaning && store.onChange(() => meaning.written([assetSource]));
  const { learn = !['0', 'off'].includes(env['CAIRN_KNOWLEDGE_LEARN'] ?? '') } = options;
  // Its schemas take a while to load, and many commands need no events.
  const usage = openUsage({ open: async () => (await import('@cairn/memory')).createMemory({ backend }), learn });
  // A failure leaves the events of removed assets: they expire.
  const forgetter = new ChangeFollower(store, async (ids) => {
    const assets = await store.getMany(ids);
    for (const [place, id] of ids.entries()) if (assets[place] === undefined) await usage.forget(id);
  });
  const hot = openHotAssets(store, usage);
  const eraser = new Eraser(store);
  const gaps = openGaps({ backend, clock, language });
  const index = openIndex({
    store,
    directory,
    language: options.language,
    backend,
    opened: async (call) => {
      await usage.flush();
      return usage.opened(call);
    },
  });
  const glossary = new SharedGlossary(index, options.glossary);
  const layers = createLayers({ store, index, gaps, usage, glossary, read: hot.get, language });
  const settler = createGapSettler(gaps, { store, layers });
  const team = createTeam({ store, directory, env });
  const payload: Knowledge['payload'] = (given) =>
    knowledgePayload({ index, gaps, directory }, { language, command, ...given });
  const close: Knowledge['close'] = async ({ erases = true } = {}) => {
    try {
      stop?.();
      await settler.close();
      await meaning?.close();
      await forgetter.close();
      await usage.flush();
      await index.close();
      await eraser.close({ erases });
    } finally {
      await backend.close();
    }
  };
  const api: Knowledge = {
    directory,
    language,
    store,
    index,
    usage,
    hot,
    gaps,
    layers,
    team,
    payload,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
  return checkArguments.calls(api, knowledgeCalls);
}
