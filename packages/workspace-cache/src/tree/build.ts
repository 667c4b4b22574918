import { CairnError, ToolError } from '@cairn/tool';
import { estimateTokens } from '@cairn/tool/prompt';
import type { TreeMetadata } from '../data.ts';
import { chooseEntries } from './choose.ts';
import type { Choice } from './choose.ts';
import { focusEntries } from './focus.ts';
import { layOut, ROOT } from './layout.ts';
import type { Layout } from './layout.ts';
import type { ResolvedTreeOptions } from './options.ts';
import { renderTree } from './render.ts';
import { summarize } from './summarize.ts';
import type { TreeSummary } from './summary.ts';
import { treeTexts } from './texts.ts';

/** A directory tree for a prompt. */
export interface WorkspaceTree {
  /** The lines, without a line end after the last. Empty when the root is empty or cannot be read, or the limit is too low. */
  readonly tree: string;
  readonly metadata: TreeMetadata;
  /** Rises when anything changed that the tree depends on. Equal for two trees with equal options when nothing changed. */
  readonly version: number;
}

/** A tree with what later changes are compared with. */
export interface BuiltTree extends WorkspaceTree {
  /** The canonical path of the root; absent when it cannot be read. */
  readonly root?: string | undefined;
  /** Returns the kind of an entry that the tree shows, by its path relative to the root. */
  readonly kindOf: (path: string) => 'file' | 'dir' | 'symlink' | undefined;
}

/** Where and when a tree is built. */
export interface BuildContext {
  readonly root: string;
  readonly clock: () => number;
  readonly signal?: AbortSignal | undefined;
}

/** The maximal number of entries that the scan may return. */
const MAX_ENTRIES = 100_000;

/** The usual length of a line in code units. Longer lines only cost a second request. */
const LINE_LENGTH = 12;

/** The entries of the first request when the length has no limit. */
const FIRST_ENTRIES = 4096;

/** Directories in the root that `depth: 'auto'` shows one level deeper. */
const DEEPER_DIRECTORIES: ReadonlySet<string> = new Set(['src', 'docs', 'examples', 'packages']);

/** Returns whether the summary has fewer children of a directory than its depth asks for. */
function isCut(
  { summary, parents, levels, children, totals }: Layout,
  auto: boolean,
  whole: ReadonlySet<number>,
): boolean {
  // Whether the depth of the tree includes one more level below an entry.
  const isDeeper = new Uint8Array(children.length);
  return children.some((own, node) => {
    const entry = summary.entries[node - 1];
    const parent = parents[node] ?? ROOT;
    if (
      auto &&
      entry !== undefined &&
      (parent === ROOT ? DEEPER_DIRECTORIES.has(entry.name) : isDeeper[parent] === 1)
    ) {
      isDeeper[node] = 1;
    }
    const isExpanded = (levels[node] ?? 0) < summary.depth + (isDeeper[node] ?? 0) || whole.has(node);
    return isExpanded && own.length < (totals[node] ?? 0);
  });
}

/** Counts the tokens of a text. */
function countTokensOf({ countTokens = estimateTokens }: ResolvedTreeOptions, text: string): number {
  const tokens: unknown = countTokens(text);
  if (typeof tokens === 'number' && tokens >= 0) return tokens;
  throw new ToolError('INVALID_OPTION', [`countTokens returned ${String(tokens)}`, 'Return a number from 0.']);
}

interface Fitted {
  readonly text: string;
  readonly choice: Choice | undefined;
}

/** Chooses and writes what fits into the limits of the options. */
function fit(layout: Layout, focus: readonly number[], options: ResolvedTreeOptions, mayBeWhole: boolean): Fitted {
  const { maxCharacters, maxTokens } = options;
  const notice = layout.texts.notice(layout.summary.totalEntries);
  const fits = (text: string): boolean =>
    text.length <= maxCharacters && (maxTokens === Infinity || countTokensOf(options, text) <= maxTokens);

  const everything = chooseEntries(layout, focus, Infinity);
  // The last line has no line end.
  if (mayBeWhole && everything.length - 1 <= maxCharacters) {
    const text = renderTree(layout, everything).join('\n');
    if (fits(text)) return { text, choice: everything };
  }
  if (!fits(notice)) return { text: '', choice: undefined };
  const write = (maxLength: number): Fitted => {
    const choice = chooseEntries(layout, focus, maxLength);
    return { text: [...renderTree(layout, choice), notice].join('\n'), choice };
  };
  let high = Math.min(everything.length, maxCharacters - notice.length);
  let best = write(high);
  if (fits(best.text)) return best;
  // The tokens of a text are not the sum of those of its lines: search for the length whose text fits.
  best = { text: notice, choice: undefined };
  for (let low = 0; high - low > 1;) {
    const middle = Math.floor((low + high) / 2);
    const attempt = write(middle);
    if (fits(attempt.text)) {
      low = middle;
      best = attempt;
    } else {
      high = middle;
    }
  }
  return best;
}

/** Returns the number of entries of the first request: what usually fits, and never more than can fit. */
function firstRequest({ maxCharacters, maxTokens }: ResolvedTreeOptions): number {
  // Half of a token for each character is more than any usual text has.
  const length = Math.min(maxCharacters, maxTokens * 4);
  return length === Infinity ? FIRST_ENTRIES : Math.min(Math.ceil(length / LINE_LENGTH) + 1, MAX_ENTRIES);
}

interface Result extends Fitted {
  readonly layout: Layout;
  readonly truncated: boolean;
}

async function choose(options: ResolvedTreeOptions, { root, signal }: BuildContext): Promise<Result> {
  for (let maxEntries = firstRequest(options); ; maxEntries = Math.min(maxEntries * 4, MAX_ENTRIES)) {
    const { depth, hidden, gitignore, exclude, allow, focus } = options;
    const summary = await summarize({
      path: root,
      depth,
      maxEntries,
      hidden,
      gitignore,
      exclude,
      allow,
      focus,
      signal,
    });
    const layout = layOut(summary, options.format, treeTexts[options.language]);
    const focused = focusEntries(layout, focus);
    const isCutShort = isCut(layout, depth === 'auto', focused.whole);
    const fitted = fit(layout, focused.nodes, options, !isCutShort);
    // The summary is in the order of the choice: more entries matter only when all of these are shown.
    if (isCutShort && fitted.choice?.isWhole === true && maxEntries < MAX_ENTRIES) continue;
    return { ...fitted, layout, truncated: isCutShort || fitted.choice?.isWhole !== true };
  }
}

function problemOf({ complete, stopReason, unreadablePaths = [], root, entries }: TreeSummary): string | undefined {
  if (entries.length === 0 && unreadablePaths.includes('.')) {
    return `the directory cannot be read: ${root}; ask for the permission`;
  }
  return complete
    ? undefined
    : `the tree is not complete (${stopReason ?? 'the scan ended early'}); choose a smaller root`;
}

/** Returns a function that finds the kinds of the entries that a layout shows. */
function kindsOf({ summary, children }: Layout, choice: Choice | undefined): BuiltTree['kindOf'] {
  return (path) => {
    let node: number | undefined = ROOT;
    for (const name of path.split('/')) {
      node = children[node]?.find((child) => summary.entries[child - 1]?.name === name);
      if (node === undefined || choice?.isShown[node] !== 1) return undefined;
    }
    return summary.entries[node - 1]?.kind;
  };
}

/**
 * Builds the tree of a directory. A root that cannot be scanned gives an empty tree with `metadata.error`.
 *
 * @throws {ToolError} `INVALID_OPTION`; or the reason of the signal.
 */
export async function buildTree(options: ResolvedTreeOptions, context: BuildContext): Promise<BuiltTree> {
  const startMs = performance.now();
  const cachedAt = new Date(context.clock()).toISOString();
  const facts = (): Pick<TreeMetadata, 'cachedAt' | 'buildTimeMs'> => ({
    cachedAt,
    buildTimeMs: performance.now() - startMs,
  });
  try {
    const { text, choice, layout, truncated } = await choose(options, context);
    const { summary } = layout;
    const error = problemOf(summary);
    const { missingFocus = [] } = summary;
    const metadata: TreeMetadata = {
      ...facts(),
      size: text.length,
      depth: summary.depth,
      entries: summary.totalEntries,
      truncated,
      excluded: summary.excluded,
      hiddenSecrets: summary.hiddenSecrets,
      estimatedTokens: countTokensOf(options, text),
      ...(missingFocus.length > 0 && { missingFocus }),
      ...(error !== undefined && { error }),
    };
    return {
      tree: text,
      metadata,
      version: summary.generation,
      root: summary.root,
      kindOf: kindsOf(layout, choice),
    };
  } catch (error) {
    if (context.signal?.aborted === true) throw error;
    if (CairnError.isInstance(error) && error.code === 'INVALID_OPTION') throw error;
    return failedTree(options, error instanceof Error ? error.message : String(error), facts());
  }
}

function failedTree(
  { depth }: ResolvedTreeOptions,
  error: string,
  facts: Pick<TreeMetadata, 'cachedAt' | 'buildTimeMs'>,
): BuiltTree {
  const metadata: TreeMetadata = {
    ...facts,
    size: 0,
    depth: depth === 'auto' ? 0 : depth,
    entries: 0,
    truncated: false,
    excluded: 0,
    hiddenSecrets: 0,
    estimatedTokens: 0,
    error,
  };
  return { tree: '', metadata, version: 0, kindOf: () => undefined };
}
