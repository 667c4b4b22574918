import type { Language } from '@cairn/tool/kernel';
import { treeChanges, type TreeChange, type TreeChanges } from '@cairn/natives';
import { escapeName, escapePath } from '../tree/escape.ts';
import { treeTexts } from '../tree/texts.ts';
import type { TreeSnapshot } from '../tree/tree-state.ts';
import { fits, largestFitting, type Budget } from '../tree/budget.ts';
import { fenced } from './template.ts';
import { sectionTexts } from './texts.ts';

/** The states that a history keeps. A state of a large tree takes some megabytes. */
const MAX_STATES = 16;

interface Seen extends TreeSnapshot {
  readonly moment: number;
}

/** The states of the tree of a run: the one when the run began, and each later one that differs from the one before. */
export class TreeHistory {
  readonly #seen: Seen[];

  constructor(first: TreeSnapshot) {
    this.#seen = [{ ...first, moment: 0 }];
  }

  /** Adds a state. Returns whether it is news: not the last one, nor one that took longer to read than a later one. */
  add(snapshot: TreeSnapshot, moment: number): boolean {
    if (snapshot.version <= (this.#seen.at(-1)?.version ?? 0)) return false;
    this.#seen.push({ ...snapshot, moment });
    // The first state is what the section shows.
    if (this.#seen.length > MAX_STATES) this.#seen.splice(1, 1);
    return true;
  }

  /** Returns whether the state at a moment is still kept. Otherwise {@link since} starts at an earlier one. */
  knows(moment: number): boolean {
    const [first, second] = this.#seen;
    return moment === first?.moment || second === undefined || moment >= second.moment;
  }

  /** Returns the changes since a moment, at most `maxListed` of it. */
  since(moment: number, maxListed: number): TreeChanges {
    const before = this.#seen.findLast((seen) => seen.moment <= moment) ?? this.#seen[0];
    const after = this.#seen.at(-1);
    return before && after ? treeChanges(before.state, after.state, maxListed) : { listed: [], total: 0 };
  }
}

/** Writes one change as the tree would show it: `+ src/new.ts`, `- old/`, `+ link -> target`. */
function changeLine(change: TreeChange, language: Language): string {
  const { path, pathBytes, appeared, kind, folded, target, targetBytes } = change;
  const shown = `${appeared ? '+' : '-'} ${escapePath(path, pathBytes)}`;
  if (kind === 'dir') return folded === undefined ? `${shown}/` : `${shown}/ (${treeTexts[language].folded[folded]})`;
  if (kind === 'file' || !appeared) return shown;
  return `${shown} -> ${target === undefined ? '?' : escapeName(target, targetBytes)}`;
}

/** Writes a list of changes, as many as the budget allows, and how many more there are. Empty when the budget has no room for a line. */
export function renderChanges(
  { listed, total }: TreeChanges,
  { language, heading, budget }: { readonly language: Language; readonly heading: string; readonly budget: Budget },
): { readonly text: string; readonly shown: number } {
  if (total === 0) return { text: '', shown: 0 };
  const { moreChanges } = sectionTexts[language];
  const lines = listed.map((change) => changeLine(change, language));
  const write = (count: number): string => {
    const rest = total - count;
    const shown = [...lines.slice(0, count), ...(rest > 0 ? [moreChanges(rest)] : [])];
    return `${heading}\n\n${fenced(shown.join('\n'))}`;
  };
  const shown = largestFitting(lines.length, (count) => fits(write(count), budget));
  return shown === undefined ? { text: '', shown: 0 } : { text: write(shown), shown };
}
