import type { FactDependencies } from './fact-table.ts';
import type { Language } from '@cairn/tool/kernel';
import type { Page } from '../records/backend.ts';
import type { UnreadableRecord } from '../records/reader.ts';
import { factOf, isActive } from './fact.ts';
import type { Facts, FactSelection } from './facts-api.ts';
import { filterOf, isForeign, selectFacts, tablesOf } from './selection.ts';
import { formatStartBlock } from './start-block.ts';
import type { StartBlockOptions } from './start-block.ts';

/** A block, what was reported when it was made, and the state of its tables before that. */
interface Kept {
  readonly text: string;
  readonly unreadable: readonly UnreadableRecord[];
  readonly states: readonly TableState[];
}

/** Two equal states of a table have the same rows: a new or changed row has a new sequence, a removed one lowers the count. */
type TableState = Pick<Page, 'start' | 'sequence' | 'count'>;

/** The blocks that are kept: those of the streams and languages of one process. */
const MAX_KEPT = 16;
/** The largest block that is kept, in UTF-16 code units. */
const MAX_KEPT_CHARACTERS = 64 * 1024;

/** Makes `startBlock`. A block is kept until a table that it is made of changes, in any process. */
export function createStartBlocks({
  language: ownLanguage,
  ...dependencies
}: FactDependencies & { readonly language: Language }): Facts['startBlock'] {
  const { backend, reader, project: ownProject } = dependencies;
  /** By the options, the last used one last. */
  const blocks = new Map<string, Kept>();

  /** Returns the states of the tables; `undefined` when another program wrote under one of their keys. */
  const statesOf = async (options: FactSelection): Promise<TableState[] | undefined> => {
    const { signal } = options;
    try {
      return await Promise.all(
        tablesOf(dependencies, options).map(async ({ key }) => {
          const { start, sequence, count } = await backend.page(key, { order: 'newest', limit: 0 }, { signal });
          return { start, sequence, count };
        }),
      );
    } catch (error) {
      if (isForeign(error)) return undefined;
      throw error;
    }
  };

  const make = async (options: StartBlockOptions & FactSelection): Promise<Omit<Kept, 'states'>> => {
    const unreadable: UnreadableRecord[] = [];
    const report = (record: UnreadableRecord): void => {
      unreadable.push(record);
      reader.report(record);
    };
    const selection = { ...dependencies, reader: { ...reader, report } };
    const selected = (await selectFacts(selection, options)).filter(({ stored }) => isActive(stored));
    const [pinned, rest] = [true, false].map((isPinned) =>
      selected.filter(({ stored }) => (stored.pinned === true) === isPinned),
    );
    const facts = [...(pinned ?? []), ...(rest ?? [])].map(({ stored, table }) => factOf(stored, table));
    const { language = ownLanguage, maxCharacters } = options;
    return { text: formatStartBlock(facts, { language, maxCharacters }), unreadable };
  };

  return async (options = {}) => {
    const { signal: _, ...given } = options;
    // Invalid options are not a block that is kept.
    filterOf(given);
    const name = JSON.stringify({ project: ownProject, ...given }, (_key, value: unknown) =>
      typeof value === 'number' && !Number.isFinite(value) ? [String(value)] : value,
    );
    const kept = blocks.get(name);
    // Before the facts are read: a change in between makes the block that is kept an old one, and not a wrong one.
    const states = await statesOf(options);
    if (kept !== undefined && states !== undefined && JSON.stringify(states) === JSON.stringify(kept.states)) {
      for (const record of kept.unreadable) reader.report(record);
      blocks.delete(name);
      blocks.set(name, kept);
      return kept.text;
    }
    const { text, unreadable } = await make(options);
    blocks.delete(name);
    if (states !== undefined && text.length <= MAX_KEPT_CHARACTERS) blocks.set(name, { text, unreadable, states });
    for (const oldest of blocks.keys()) {
      if (blocks.size <= MAX_KEPT) break;
      blocks.delete(oldest);
    }
    return text;
  };
}
