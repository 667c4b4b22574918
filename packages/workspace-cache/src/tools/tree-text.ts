import type { Language } from '@cairn/tool/kernel';
import { ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import type { TreeMetadata } from '../data.ts';
import type { WorkspaceTree } from '../tree/build.ts';
import { treeToolTexts } from './tree-texts.ts';

/** What the text of a tree states next to the tree. */
export interface TreeTextContext {
  /** The directory, as the caller knows it. */
  readonly path: string;
  readonly language: Language;
  /** The name of the tool that lists a directory. */
  readonly list: string;
}

/** Returns a problem of a scan for a model, which can choose a directory, but neither the root nor the time. */
function problemFor(error: string): string {
  return error.replace(/choose a smaller root(?:, or raise timeoutMs)?$/u, 'show a smaller directory');
}

/** @throws {ToolError} when nothing of a directory could be scanned. */
export function requireTree(
  { error, errorCode, entries }: Pick<TreeMetadata, 'error' | 'errorCode' | 'entries'>,
  path: string,
  hint: string,
): void {
  if (error !== undefined && entries === 0) throw new ToolError(errorCode ?? 'IO', [problemFor(error), hint], { path });
}

function listed(paths: readonly string[], count: number = paths.length): string {
  const names = paths.map((path) => quotePath(path)).join(', ');
  return count > paths.length ? `${names}, …` : names;
}

/**
 * Returns a tree and its notes. The notes are in brackets, after an empty line: no name can forge one, because no name is an empty
 * line.
 */
export function treeText(
  { tree, metadata }: Pick<WorkspaceTree, 'tree' | 'metadata'>,
  { path, language, list }: TreeTextContext,
): string {
  const texts = treeToolTexts[language];
  const { entries, depth, size, truncated, excluded, hiddenSecrets, error } = metadata;
  const { unreadable = 0, unreadablePaths = [], missingFocus = [] } = metadata;
  const shown = quotePath(path);
  const isEmpty = entries === 0 && error === undefined && unreadable === 0;
  const notes = [
    isEmpty ? texts.empty(shown) : texts.counts(shown, entries, depth),
    ...(truncated ? [texts.cut(size)] : []),
    ...(excluded + hiddenSecrets > 0 ? [texts.leftOut(excluded, hiddenSecrets, list)] : []),
    ...(unreadable > 0 ? [texts.unreadable(unreadable, listed(unreadablePaths, unreadable))] : []),
    ...(missingFocus.length > 0 ? [texts.missingFocus(listed(missingFocus))] : []),
    ...(error === undefined ? [] : [texts.incomplete(problemFor(error))]),
  ];
  return [...(tree === '' ? [] : [tree, '']), ...notes].join('\n');
}
