import type { TreeSummary } from '@cairn/natives';
import { chooseEntries } from './choose.ts';
import type { Choice } from './choose.ts';
import { focusEntries } from './focus.ts';
import { layOut, ROOT } from './layout.ts';
import type { Layout } from './layout.ts';
import type { ResolvedTreeOptions } from './options.ts';
import { renderTree } from './render.ts';
import { treeTexts } from './texts.ts';
import { countTokensOf } from './tokens.ts';

/** The text of a summary within the limits of the options. */
export interface FittedTree {
  readonly text: string;
  readonly tokens: number;
  /** Whether a limit left something out. */
  readonly truncated: boolean;
  /** Whether a summary with more entries could give a longer text. */
  readonly needsMore: boolean;
  readonly layout: Layout;
  /** Whether the text shows an entry of the layout. */
  readonly isShown: (node: number) => boolean;
}

/** Directories in the root that `depth: 'auto'` shows one level deeper. */
const DEEPER_DIRECTORIES: ReadonlySet<string> = new Set(['src', 'docs', 'examples', 'packages']);

/** The depth of what is below each entry of the root: one more level for some when the depth is automatic. */
function depthsOf({ summary, parents, levels }: Layout, isAutomatic: boolean): Int32Array {
  const depths = new Int32Array(levels.length).fill(summary.depth);
  if (!isAutomatic) return depths;
  for (let node = 1; node < levels.length; node++) {
    const parent = parents[node] ?? ROOT;
    const isDeeper = parent === ROOT && DEEPER_DIRECTORIES.has(summary.entries[node - 1]?.name ?? '');
    depths[node] = isDeeper ? summary.depth + 1 : (depths[parent] ?? 0);
  }
  return depths;
}

/** Returns whether the summary lacks children that its depth, or a focus, asks for. */
function isCutShort(layout: Layout, depths: Int32Array, whole: ReadonlySet<number>): boolean {
  const { levels, children, totals } = layout;
  return children.some(
    (own, node) => own.length < (totals[node] ?? 0) && ((levels[node] ?? 0) < (depths[node] ?? 0) || whole.has(node)),
  );
}

/** The lines of all entries without counts: no text of a larger summary is shorter. */
function linesAlone({ labels, parents, indents }: Layout): string {
  const lines = labels.map((label, node) => ' '.repeat(indents[parents[node] ?? ROOT] ?? 0) + label);
  return lines.slice(1).join('\n');
}

/** Chooses what fits and writes it. The time is linear in the size of the summary; a limit of tokens takes some attempts. */
export function fitTree(summary: TreeSummary, options: ResolvedTreeOptions): FittedTree {
  const { maxCharacters, maxTokens, countTokens } = options;
  const layout = layOut(summary, options.format, treeTexts[options.language]);
  const focus = focusEntries(layout, options.focus);
  const depths = depthsOf(layout, options.depth === 'auto');
  const isCut = isCutShort(layout, depths, focus.whole);
  const notice = layout.texts.notice(summary.totalEntries);

  /** The last count: an injected tokenizer may take long, and a text that fits is counted for its metadata too. */
  let counted = { text: '', tokens: Number.NaN };
  const tokensOf = (text: string): number => {
    if (Number.isNaN(counted.tokens) || counted.text !== text)
      counted = { text, tokens: countTokensOf(text, countTokens) };
    return counted.tokens;
  };
  const fits = (text: string): boolean =>
    text.length <= maxCharacters && (maxTokens === Infinity || tokensOf(text) <= maxTokens);
  const choose = (maxLength: number): Choice => chooseEntries(layout, { focus: focus.nodes, depths }, maxLength);
  const isShort = isCut && fits(linesAlone(layout));
  const result = (text: string, choice: Choice | undefined, truncated: boolean): FittedTree => ({
    text,
    tokens: tokensOf(text),
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
    if (fits(text)) return result(text, everything, false);
  }
  if (!fits(notice)) return result('', undefined, true);
  let high = Math.min(everything.length, maxCharacters - notice.length);
  let best = write(high);
  if (fits(best.text)) return best;
  // The tokens of a text are not the sum of those of its lines: search for the length with a text that fits.
  best = result(notice, undefined, true);
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
