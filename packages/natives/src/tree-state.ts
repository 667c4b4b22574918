import * as binding from '../binding/index.js';
import { CairnError } from '@cairn/tool/kernel';
import { fromNative } from './errors.ts';
import { checkOptions } from './options.ts';
import { nativeOptions, treeRules, type TreeEntry, type TreeState, type TreeSummaryOptions } from './tree-summary.ts';

/** The options of a summary that decide about the whole tree. */
type TreeStateOptions = Omit<
  TreeSummaryOptions,
  'depth' | 'maxEntries' | 'focus' | 'signal' | 'onTimeout' | 'keepState'
>;

interface TreeStateResult {
  state: TreeState;
  /** See `TreeSummary`. */
  generation: number;
  /** Whether the state has the whole tree, except entries that could not be read. */
  complete: boolean;
}

const { depth: _depth, maxEntries: _maxEntries, focus: _focus, signal: _signal, ...stateRules } = treeRules;

/**
 * Returns the state of a tree, as `treeSummary` does with `keepState`, on the calling thread: everything else waits. For a caller
 * that has announced a change with `invalidateFsScanCache` and cannot wait for a promise: with `cache`, it takes the time of a
 * validation. Set `timeoutMs`.
 *
 * @throws {CairnError} `PATH_NOT_FOUND`, `NOT_A_DIRECTORY`, `INVALID_OPTION`, `TIMEOUT`
 */
export function treeStateSync(options: TreeStateOptions): TreeStateResult {
  checkOptions<TreeStateOptions>('treeStateSync', options, stateRules);
  const outcome = binding.treeStateSync(nativeOptions(options));
  if ('code' in outcome) throw fromNative(outcome);
  return { ...outcome, state: outcome.state as TreeState };
}

/** An entry that came or went. `folded` and `target` are those of one that came. */
export interface TreeChange extends Pick<TreeEntry, 'kind' | 'folded' | 'target' | 'targetBytes'> {
  /** Relative to the root, with `/`. */
  path: string;
  /** The bytes of a path that is not valid UTF-8; `path` shows it with U+FFFD. */
  pathBytes?: Uint8Array;
  /** Whether it is in the later state; else it is in the earlier one. */
  appeared: boolean;
}

/** The result of {@link treeChanges}. */
export interface TreeChanges {
  /**
   * The first changes, in path order. A directory that went stands for everything that was in it; one that came is followed by what is
   * in it. An entry that became something else went and came.
   */
  listed: TreeChange[];
  /** How many there are. */
  total: number;
}

/**
 * Returns the difference between two states of one root with the same rules. Runs on the calling thread, reads nothing from the disk, and
 * takes time linear in the size of the trees: milliseconds for 80,000 entries.
 *
 * @param maxListed The maximal number of `listed`, at most 100,000.
 * @throws {CairnError} `INVALID_OPTION`
 */
export function treeChanges(before: TreeState, after: TreeState, maxListed: number): TreeChanges {
  const { test, expected } = treeRules.maxEntries;
  if (!test(maxListed)) {
    throw new CairnError('INVALID_OPTION', `invalid maxListed of treeChanges: ${maxListed}; use ${expected}`);
  }
  return binding.treeChanges(before, after, maxListed);
}
