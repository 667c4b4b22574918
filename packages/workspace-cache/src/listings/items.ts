import { isObject } from '@cairn/tool/kernel';
import { sep } from 'node:path';
import type { ListedItem } from '../data.ts';

/** An entry in a result of a list function. */
export interface FoundItem {
  readonly item: ListedItem;
  /** The path of the entry below the listed directory, with `/`. */
  readonly below: string;
}

/** What the names and kinds of a directory decide. */
const NAME_FIELDS: ReadonlySet<string> = new Set(['name', 'path', 'isDirectory', 'isFile', 'kind', 'type']);

/** What the state of an entry decides. Other values, such as the size of all files below it, may depend on more. */
const STATE_FIELDS: ReadonlySet<string> = new Set(
  [
    ['size', 'mode', 'permissions', 'uid', 'gid', 'owner', 'group', 'ino', 'nlink', 'target', 'isSymbolicLink'],
    ['mtime', 'mtimeMs', 'mtimeNs', 'modified', 'modifiedAt', 'lastModified', 'updatedAt'],
    ['ctime', 'ctimeMs', 'ctimeNs', 'birthtime', 'birthtimeMs', 'created', 'createdAt', 'childCount', 'childrenCount'],
  ].flat(),
);

/** Where list functions have their entries, when they do not return an array. */
const CONTAINERS = ['items', 'entries', 'list', 'data', 'files', 'children', 'results'];
const WRAPPERS = ['details', 'structuredContent', 'result', 'data'];

function arrayIn(result: unknown): readonly unknown[] | undefined {
  if (Array.isArray(result)) return result;
  if (!isObject(result)) return undefined;
  for (const holder of [result, ...WRAPPERS.map((name) => result[name])]) {
    if (!isObject(holder)) continue;
    const array = CONTAINERS.map((name) => holder[name]).find((value) => Array.isArray(value));
    if (array) return array;
  }
  return undefined;
}

function normalize(path: string): string {
  return path
    .replaceAll(sep, '/')
    .replace(/^(?:\.?\/)+/u, '')
    .replace(/\/+$/u, '');
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}

/** Returns the paths of items below the listed directory; `undefined` when an item has none. */
function pathsBelow(items: readonly ListedItem[], directories: readonly string[]): string[] | undefined {
  // Some functions name the directory as the path of each of its entries.
  const isParent = items.every(
    ({ path, name }) => typeof path === 'string' && typeof name === 'string' && directories.includes(normalize(path)),
  );
  const given = items.map(({ path, name }) =>
    [...(isParent ? [] : [path]), name].find((one) => typeof one === 'string'),
  );
  if (!given.every((path) => path !== undefined)) return undefined;
  // `a/a` is an entry of `a/a` when the other paths start in the directory, but the entry `a` when they start at the root.
  const relative = given.filter((path) => !path.startsWith('/')).map(normalize);
  const fromRoot = directories.filter(
    (start) =>
      start !== '' &&
      relative.some((path) => isBelow(path, start)) &&
      relative.every((path) => path === start || isBelow(path, start)),
  );
  return given.map((raw) => {
    const path = normalize(raw);
    const starts = raw.startsWith('/') ? directories : fromRoot;
    const start = starts.find((one) => one !== '' && (path === one || isBelow(path, one)));
    return start === undefined ? path : path.slice(start.length + 1);
  });
}

/** Returns whether an item is a directory; `undefined` when it does not tell. */
export function isDirectoryItem(item: ListedItem): boolean | undefined {
  const { isDirectory, kind, type, name, path } = item;
  if (typeof isDirectory === 'boolean') return isDirectory;
  const stated = [kind, type].find((value) => typeof value === 'string');
  if (stated !== undefined) return ['directory', 'dir', 'folder'].includes(stated);
  return [name, path].some((value) => typeof value === 'string' && value.endsWith('/')) || undefined;
}

/** Finds the entries in the result of a list function, whose names may begin with one of the names of the listed directory. */
export function itemsOf(result: unknown, paths: readonly string[]): FoundItem[] | undefined {
  const items = arrayIn(result)?.map((value) => (typeof value === 'string' ? { name: value } : value));
  if (items === undefined || !items.every((item) => isObject(item))) return undefined;
  const below = pathsBelow(items, paths.map(normalize));
  if (below === undefined) return undefined;
  const entries = items.map((item, index) => ({ item, below: below[index] ?? '' }));
  // Some functions list the directory itself, too.
  return entries.filter((entry) => entry.below !== '' && entry.below !== '.');
}

/** Returns the names of an item's values, and of those in its objects. A list in it has no name. */
function fieldsOf(item: ListedItem): string[] {
  return Object.entries(item).flatMap(([field, value]) => {
    if (Array.isArray(value)) return [''];
    return isObject(value) && !(value instanceof Date) ? fieldsOf(value) : [field];
  });
}

/** Returns what decides about entries: names and kinds, the state of the entries, or everything below the directory. */
export function extentOfItems(entries: readonly FoundItem[]): 'names' | 'entries' | 'tree' {
  const fields = new Set(entries.flatMap(({ item }) => fieldsOf(item)));
  for (const field of NAME_FIELDS) fields.delete(field);
  const isDeep =
    entries.some(({ below }) => below.includes('/')) || [...fields].some((field) => !STATE_FIELDS.has(field));
  if (isDeep) return 'tree';
  return fields.size === 0 ? 'names' : 'entries';
}
