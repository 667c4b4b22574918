import { isWithin } from '@cairn/coding-agent/internal';
import { isAbsolute, join } from 'node:path';
import { isNeverKept, isSecretPath } from '../content/never-kept.ts';
import type { ListedItem } from '../data.ts';
import { isDirectoryItem, type FoundItem } from './items.ts';

/** A directory, as the caller named it and canonically. */
interface NamedDirectory {
  readonly path: string;
  readonly real: string;
  /** The canonical roots of the workspace. */
  readonly roots: readonly string[];
}

/** Returns whether the name of a directory, or of one above it, stands for secrets. */
export function isSecretDirectory({ path, real, roots }: NamedDirectory): boolean {
  const [root = '/'] = roots;
  const named = isAbsolute(path) && roots.some((one) => isWithin(path, one)) ? path : join(root, path);
  return [real, named].some((directory) => isNeverKept(join(directory, 'file'), roots));
}

/** Returns items without what names secrets: in their paths, in what links lead to, and in nested lists. */
export function shownItems(entries: readonly FoundItem[], roots: readonly string[]): ListedItem[] {
  /** Returns a value without the parts that name secrets; `undefined` when nothing of it may be shown. */
  const shownPart = (value: unknown, isDirectory?: boolean): unknown => {
    if (typeof value === 'string') {
      // A workspace may itself be in such a directory.
      const path = roots.reduce((text, root) => text.replace(root, ''), value);
      return !path.includes('\n') && isSecretPath(path, isDirectory) ? undefined : value;
    }
    if (Array.isArray(value)) return value.map((part) => shownPart(part)).filter((part) => part !== undefined);
    return typeof value === 'object' && value !== null ? shownItem(value as ListedItem) : value;
  };
  const shownItem = (item: ListedItem): ListedItem | undefined => {
    const isDirectory = isDirectoryItem(item);
    const parts = Object.entries(item).map(
      ([field, value]) =>
        [field, shownPart(value, field === 'name' || field === 'path' ? isDirectory : undefined)] as const,
    );
    return parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts);
  };
  return entries.flatMap(({ item, below }) => {
    const shown = isSecretPath(below, isDirectoryItem(item)) ? undefined : shownItem(item);
    return shown === undefined ? [] : [shown];
  });
}
