import { treeSummary, type TreeState, type TreeSummary, type TreeSummaryOptions } from '@cairn/natives';
import { CairnError } from '@cairn/tool';
import { SECRET_NAMES } from '@cairn/tool/internal';
import { messageOf } from '../checks.ts';
import type { TreeMetadata } from '../data.ts';
import { fitTree, type FittedTree } from './fit.ts';
import { ROOT } from './layout.ts';
import type { ResolvedTreeOptions } from './options.ts';

/** A directory tree for a prompt. */
export interface WorkspaceTree {
  /** The lines, without a line end after the last. Empty when the root is empty or cannot be read, or the limit is too low. */
  readonly tree: string;
  readonly metadata: TreeMetadata;
  /** Rises when anything changed that the tree depends on. Equal for two trees with equal options when nothing changed. */
  readonly version: number;
}

/** A tree with what later states are compared with. */
export interface BuiltTree extends WorkspaceTree {
  /** The canonical path of the root; absent when it cannot be read. */
  readonly root?: string | undefined;
  /** The state of the whole tree; absent when the scan did not see all of it. */
  readonly state?: TreeState | undefined;
  /** The levels that the tree shows: `focus` and the depth `auto` may show more than `metadata.depth`. */
  readonly levels: number;
  /** How many directories it shows with all of their entries, the root among them. */
  readonly shownDirectories: number;
}

export interface BuildContext {
  readonly root: string;
  readonly clock: () => number;
  readonly signal?: AbortSignal | undefined;
  /** Compare the workspace with the disk first, whatever the time to live of a scan. */
  readonly validate?: boolean | undefined;
  /** Default: `treeSummary` of `@cairn/natives`. */
  readonly summarize?: ((options: TreeSummaryOptions) => Promise<TreeSummary>) | undefined;
}

const MAX_ENTRIES = 100_000;

/** The usual length of a line in code units. Longer lines only cost a second request. */
const LINE_LENGTH = 12;

const FIRST_ENTRIES = 4096;

/** The levels of the scan for the depth `fit`. No tree within its limits has more, unless a directory has one entry a level. */
const MAX_LEVELS = 100;

/** Returns the number of entries of the first request: what usually fits, and never more than can fit. */
function firstRequest({ maxCharacters, maxTokens }: ResolvedTreeOptions): number {
  // Half of a token for each character is more than any usual text has.
  const length = Math.min(maxCharacters, maxTokens * 4);
  return length === Infinity ? FIRST_ENTRIES : Math.min(Math.ceil(length / LINE_LENGTH) + 1, MAX_ENTRIES);
}

/** Returns the options of the scan. Equal ones share a scan and its version. */
export function summaryOptions(root: string, options: ResolvedTreeOptions): TreeSummaryOptions {
  const { hidden, gitignore, exclude, allow, focus, timeoutMs } = options;
  const depth = options.depth === 'fit' ? MAX_LEVELS : options.depth;
  const rules = { hidden, gitignore, exclude, allow, secrets: SECRET_NAMES };
  return { ...rules, path: root, cache: true, depth, focus, timeoutMs, onTimeout: 'partial' };
}

/** Asks for more entries while a longer summary could give a longer tree. */
async function scan(options: ResolvedTreeOptions, context: BuildContext): Promise<FittedTree> {
  const { root, signal, validate = false, summarize = treeSummary } = context;
  const request = { ...summaryOptions(root, options), validate, keepState: true, signal };
  for (let maxEntries = firstRequest(options); ; maxEntries = Math.min(maxEntries * 4, MAX_ENTRIES)) {
    const summary = await summarize({ ...request, maxEntries });
    const fitted = fitTree(summary, options);
    if (!fitted.needsMore || maxEntries === MAX_ENTRIES) return fitted;
  }
}

/** Returns why the tree lacks entries that no limit left out. */
function incompleteness({ complete, stopReason }: TreeSummary, { timeoutMs }: ResolvedTreeOptions): string | undefined {
  if (complete) return undefined;
  return stopReason === 'timeout'
    ? `the scan is not complete after ${timeoutMs} ms; choose a smaller root, or raise timeoutMs`
    : 'the workspace has more entries than one scan may collect; choose a smaller root';
}

/** Counts the directories that a tree shows with all of their entries. The counts of other directories are of no use to an agent. */
function shownDirectoriesOf({ layout: { summary, children, totals }, isShown }: FittedTree): number {
  return children.filter((own, node) => {
    const isDirectory = node === ROOT || (summary.entries[node - 1]?.kind === 'dir' && isShown(node));
    return isDirectory && own.length === totals[node] && own.every(isShown);
  }).length;
}

/** Builds the tree of a directory. @throws {ToolError} `INVALID_OPTION`; or the reason of the signal. */
export async function buildTree(options: ResolvedTreeOptions, context: BuildContext): Promise<BuiltTree> {
  const startMs = performance.now();
  const cachedAt = new Date(context.clock()).toISOString();
  const facts = (): Pick<TreeMetadata, 'cachedAt' | 'buildTimeMs'> => ({
    cachedAt,
    buildTimeMs: performance.now() - startMs,
  });
  try {
    const fitted = await scan(options, context);
    const { text, tokens, truncated, layout } = fitted;
    const { summary } = layout;
    const { unreadable = 0, unreadablePaths, missingFocus = [], root } = summary;
    if (summary.entries.length === 0 && unreadablePaths?.includes('.') === true) {
      const hint = 'choose another root, or ask for the permission';
      return failedTree(options, `${root} cannot be read: permission denied; ${hint}`, facts());
    }
    const error = incompleteness(summary, options);
    const metadata: TreeMetadata = {
      ...facts(),
      size: text.length,
      depth: fitted.depth,
      entries: summary.totalEntries,
      truncated,
      excluded: summary.excluded,
      hiddenSecrets: summary.hiddenSecrets,
      estimatedTokens: tokens,
      ...(unreadable > 0 && { unreadable }),
      ...(unreadablePaths && { unreadablePaths }),
      ...(missingFocus.length > 0 && { missingFocus }),
      ...(error !== undefined && { error }),
    };
    const shownLevels = layout.levels.filter((_, node) => fitted.isShown(node));
    const levels = shownLevels.reduce((most, level) => Math.max(most, level), 0);
    const { generation: version, complete } = summary;
    const state = complete ? summary.state : undefined;
    return { tree: text, metadata, version, root, state, levels, shownDirectories: shownDirectoriesOf(fitted) };
  } catch (error) {
    if (context.signal?.aborted === true) throw error;
    if (CairnError.isInstance(error) && error.code === 'INVALID_OPTION') throw error;
    return failedTree(options, messageOf(error), facts());
  }
}

export function failedTree(
  { depth }: ResolvedTreeOptions,
  error: string,
  facts: Pick<TreeMetadata, 'cachedAt' | 'buildTimeMs' | 'errorCode'>,
): BuiltTree {
  const metadata: TreeMetadata = {
    ...facts,
    size: 0,
    depth: typeof depth === 'number' ? depth : 0,
    entries: 0,
    truncated: false,
    excluded: 0,
    hiddenSecrets: 0,
    estimatedTokens: 0,
    error,
  };
  return { tree: '', metadata, version: 0, levels: 0, shownDirectories: 0 };
}
