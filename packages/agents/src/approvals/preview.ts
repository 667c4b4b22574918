import type { FileDiff } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';
import { isObject, type Fields } from '@cairn/tool/kernel';

/** How a call would change a file. A created file has no `from`, a deleted one no `to`. */
export interface PreviewedChange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Absent for a file or directory that is moved or deleted as it is. */
  readonly diff?: FileDiff | undefined;
}

function changeOf({ path, from, to, kind, created, diff }: Fields): PreviewedChange[] {
  if (typeof from === 'string' && typeof to === 'string') return [{ from, to }];
  if (typeof path !== 'string') return [];
  if (!isObject(diff)) return [{ from: path }];
  const isNew = created === true || kind === 'add';
  const target = kind === 'delete' ? undefined : typeof to === 'string' ? to : path;
  return [{ from: isNew ? undefined : path, to: target, diff: diff as unknown as FileDiff }];
}

/** Returns the changes that a dry run of a tool reports. */
export function changesOf(result: ToolResult): readonly PreviewedChange[] {
  if (result.isError || !isObject(result.details)) return [];
  const { files } = result.details;
  return Array.isArray(files) ? files.filter(isObject).flatMap(changeOf) : changeOf(result.details);
}
