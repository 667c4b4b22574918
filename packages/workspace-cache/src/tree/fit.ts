import type { TreeSummary } from '@cairn/natives';
import { largestFitting } from './budget.ts';
import { chooseEntries, focusEntries, type Choice, type FocusEntries } from './choose.ts';
import { layOut, ROOT, type Layout } from './layout.ts';
import type { ResolvedTreeOptions } from './options.ts';
import { treeTexts } from './texts.ts';
import { countTokensOf, estimateTreeTokens } from './tokens.ts';

/** Writes the chosen entries, one a line, without a line end after the last. */
function renderTree(layout: Layout, { isShown, shown }: Choice): string[] {
  const { format, texts, children, totals, labels } = layout;
  const lines: string[] = [];

  const visit = (directory: number, prefix: string): void => {
    const nodes = (children[directory] ?? []).filter((node) => isShown[node] === 1);
    if (nodes.length === 0) return;
    const hidden = (totals[directory] ?? 0) - nodes.length;
    for (const [index, node] of nodes.entries()) {
      const isLast = hidden === 0 && index === nodes.length - 1;
      const label = labels[node] ?? '';
      const total = totals[node] ?? 0;
      const count = total > 0 && shown[node] === 0 ? ` (${total})` : '';
      if (format === 'box') {
        lines.push(`${prefix}${isLast ? '└── ' : '├── '}${label}${count}`);
        visit(node, `${prefix}${isLast ? '    ' : '│   '}`);
      } else {
        lines.push(`${prefix}${label}${count}`);
        visit(node, `${prefix}${format === 'indent' ? '  ' : label}`);
      }
    }
    if (hidden > 0) lines.push(`${prefix}${format === 'box' ? '└── ' : ''}${texts.more(hidden)}`);
  };
  visit(ROOT, '');
  return lines;
}

/** The text of a summary within the limits of the options. */
export interface FittedTree {
  readonly text: string;
  /** The levels that were asked for or chosen; a focus and the depth `auto` may show more. */
  readonly depth: number;
  readonly tokens: number;
  /** Whether a limit left something out. */
  readonly truncated: boolean;
  /** Whether a summary with more entries could give a longer text. */
  readonly needsMore: boolean;
  readonly layout: Layout;
  /** Whether the text shows an entry of the layout. */
  readonly isShown: (node: number) => boolean;
}

/** The level that the depth `fit` shows even if it does not fit whole. */
const MIN_LEVEL = 2;

/** Directories in the root that `depth: 'auto'` shows one level deeper. */
const DEEPER_DIRECTORIES: ReadonlySet<string> = new Set(['src', 'docs', 'examples', 'packages']);

/** The depth of what is below each entry of the root: one more level for some when the depth is automatic. */
function depthsOf({ summary, parents, levels }: Layout, depth: number, isAutomatic: boolean): Int32Array {
  const depths = new Int32Array(levels.length).fill(depth);
  if (!isAutomatic) return depths;
  for (let node = 1; node < levels.length; node++) {
    const parent = parents[node] ?? ROOT;
    const isDeeper = parent === ROOT && DEEPER_DIRECTORIES.has(summary.entries[node - 1]?.name ?? '');
    depths[node] = isDeeper ? summary.depth + 1 : (depths[parent] ?? 0);
  }
  return depths;
}

function isCutShort(layout: Layout, depths: Int32Array, whole: ReadonlySet<number>): boolean {
  const { levels, children, totals } = layout;
  return children.some(
    (own, node) => own.length < (totals[node] ?? 0) && ((levels[node] ?? 0) < (depths[node] ?? 0) || whole.has(node)),
  );
}

/** The lines of the entries of some levels without counts: no text of a larger summary is shorter. */
function linesAlone({ labels, parents, indents, levels }: Layout, depth: number): string {
  return labels
    .map((label, node) => ' '.repeat(indents[parents[node] ?? ROOT] ?? 0) + label)
    .filter((_line, node) => node !== ROOT && (levels[node] ?? 0) <= depth)
    .join('\n');
}

class Fit {
  readonly #options: ResolvedTreeOptions;
  readonly #layout: Layout;
  readonly #focus: FocusEntries;
  /** The last count: an injected tokenizer may take long, and a string that fits is counted for its metadata too. */
  #counted: { readonly text: string; readonly tokens: number } | undefined;

  constructor(summary: TreeSummary, options: ResolvedTreeOptions) {
    this.#options = options;
    this.#layout = layOut(summary, options.format, treeTexts[options.language]);
    this.#focus = focusEntries(this.#layout, options.focus);
  }

  #tokensOf(text: string): number {
    if (this.#counted?.text !== text) {
      this.#counted = { text, tokens: countTokensOf(text, this.#options.countTokens ?? estimateTreeTokens) };
    }
    return this.#counted.tokens;
  }

  #fits(text: string, maxTokens: number = this.#options.maxTokens): boolean {
    return text.length <= this.#options.maxCharacters && (maxTokens === Infinity || this.#tokensOf(text) <= maxTokens);
  }

  /**
   * Returns the deepest level that fits whole within the limit for whole trees, at least {@link MIN_LEVEL}; and whether a larger
   * summary could show another.
   */
  wholeLevel(): { readonly depth: number; readonly needsMore: boolean } {
    const layout = this.#layout;
    const { maxWholeTokens } = this.#options;
    const { levels, totals } = layout;
    const deepest = levels.reduce((most, level, node) => Math.max(most, level + ((totals[node] ?? 0) > 0 ? 1 : 0)), 1);
    for (let depth = MIN_LEVEL; ; depth++) {
      const depths = depthsOf(layout, depth, false);
      if (isCutShort(layout, depths, this.#focus.whole)) {
        const lines = linesAlone(layout, depth);
        return { depth: Math.max(MIN_LEVEL, depth - 1), needsMore: this.#fits(lines, maxWholeTokens) };
      }
      const everything = chooseEntries(layout, { focus: this.#focus.nodes, depths }, Infinity);
      const isWhole = this.#fits(renderTree(layout, everything).join('\n'), maxWholeTokens);
      if (!isWhole) return { depth: Math.min(deepest, Math.max(MIN_LEVEL, depth - 1)), needsMore: false };
      if (depth >= deepest) return { depth: Math.min(depth, deepest), needsMore: false };
    }
  }

  /** Shows as much of a number of levels as fits. The time is linear in the size of the summary; a limit of tokens takes some attempts. */
  at(depth: number): FittedTree {
    const layout = this.#layout;
    const { maxCharacters } = this.#options;
    const depths = depthsOf(layout, depth, this.#options.depth === 'auto');
    const isCut = isCutShort(layout, depths, this.#focus.whole);
    const notice = layout.texts.notice(layout.summary.totalEntries);
    const choose = (maxLength: number): Choice =>
      chooseEntries(layout, { focus: this.#focus.nodes, depths }, maxLength);
    const isShort = isCut && this.#fits(linesAlone(layout, this.#options.depth === 'fit' ? depth : Infinity));
    const result = (text: string, choice: Choice | undefined, truncated: boolean): FittedTree => ({
      text,
      depth,
      tokens: this.#tokensOf(text),
      truncated,
      needsMore: isShort || (isCut && choice?.lacksEntries === true),
      layout,
      isShown: (node) => choice?.isShown[node] === 1,
    });
    const write = (maxLength: number): FittedTree => {
      const choice = choose(maxLength);
      return result([...renderTree(layout, choice), notice].join('\n'), choice, true);
    };

    const everything = choose(Infinity);
    // The last line has no line end.
    if (!isCut && everything.length - 1 <= maxCharacters) {
      const text = renderTree(layout, everything).join('\n');
      if (this.#fits(text)) return result(text, everything, false);
    }
    if (!this.#fits(notice)) return result('', undefined, true);
    const most = Math.min(everything.length, maxCharacters - notice.length);
    // The tokens of a string are not the sum of the tokens of its lines: search for the length with a string that fits.
    return write(largestFitting(most, (length) => this.#fits(write(length).text)) ?? 0);
  }
}

export function fitTree(summary: TreeSummary, options: ResolvedTreeOptions): FittedTree {
  const fit = new Fit(summary, options);
  if (options.depth !== 'fit') return fit.at(summary.depth);
  const { depth, needsMore } = fit.wholeLevel();
  const fitted = fit.at(depth);
  return needsMore ? { ...fitted, needsMore } : fitted;
}
