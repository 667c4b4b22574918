import { countOf, formatBytes, type Range } from '../terminal/text.ts';
import type { NameFeed } from './name-feed.ts';
import type { CodingTools } from '@cairn/coding-agent';
import type { ReadDetails } from '@cairn/coding-agent/internal';

export type PickMode = 'find' | 'grep';

export interface PickItem {
  readonly path: string;
  /** The path in the list: relative to the searched directory when there is one. */
  readonly shownPath: string;
  readonly isDirectory: boolean;
  readonly lineNumber?: number;
  /** The matched line, or the path as it is shown, and the highlighted parts. */
  readonly text: string;
  readonly ranges: readonly Range[];
}

export interface Found {
  readonly items: readonly PickItem[];
  /** The number of matches, and what is missing. */
  readonly summary: string;
}

export interface PickSource {
  /** The names to choose from, instead of files. */
  readonly names?: NameFeed | undefined;
  warmUp(signal: AbortSignal): void;
  search(query: string, options: { readonly mode: PickMode; readonly signal: AbortSignal }): Promise<Found>;
}

export interface Preview {
  readonly title: string;
  readonly lines: readonly string[];
  /** The number of the first line; absent when lines are not numbered. */
  readonly firstLine?: number;
  readonly lineNumber?: number | undefined;
}

function titleOf(details: ReadDetails): string {
  const { path } = details;
  if (details.kind === 'directory') return `${path}: ${countOf(details.total, 'entry', 'entries')}`;
  if (details.kind === 'image') return `${path}: image, ${formatBytes(details.size)}`;
  const total = details.totalLines === undefined ? '' : ` of ${details.totalLines}`;
  const last = details.offset + details.lines.length - 1;
  return details.lines.length === 0 ? `${path}: empty` : `${path}: lines ${details.offset}-${last}${total}`;
}

export async function readPreview(
  tools: CodingTools,
  { path, lineNumber }: PickItem,
  { rows, signal, isFromList }: { readonly rows: number; readonly signal: AbortSignal; readonly isFromList: boolean },
): Promise<Preview> {
  const offset = Math.max(1, (lineNumber ?? 1) - Math.floor((rows - 1) / 2));
  const result = await tools.read.execute({ path, offset, limit: rows }, { signal });
  if (result.isError) {
    // A list may hold any text.
    if (isFromList && result.details.reason === 'NOT_FOUND') return { title: path, lines: [] };
    const [part] = result.content;
    return { title: path, lines: [part?.text.split('\n', 1)[0] ?? ''] };
  }
  const { details } = result;
  const title = titleOf(details);
  if (details.kind === 'text') return { title, lines: details.lines, firstLine: details.offset, lineNumber };
  if (details.kind === 'image') return { title, lines: [] };
  return { title, lines: details.entries.map((entry) => (entry.kind === 'directory' ? `${entry.path}/` : entry.path)) };
}
