import type { ListedItem } from '../data.ts';

/** The entries in a result of a list function. */
export interface FoundItems {
  readonly items: readonly ListedItem[];
  /** The first names of the entries' paths, below the listed directory. */
  readonly names: readonly string[];
  /** Whether an entry is in a subdirectory. */
  readonly isNested: boolean;
  /** Whether the items have nothing but names and kinds. */
  readonly isPlain: boolean;
}

/** What the names and kinds of a directory decide. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set(['name', 'path', 'isDirectory', 'isFile', 'kind', 'type']);

/** Where list functions have their entries, when they do not return an array. */
const CONTAINERS = ['items', 'entries', 'list', 'data', 'files', 'children', 'results'];
const WRAPPERS = ['details', 'structuredContent', 'result', 'data'];

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function arrayIn(result: unknown): readonly unknown[] | undefined {
  if (Array.isArray(result)) return result;
  if (!isRecord(result)) return undefined;
  for (const holder of [result, ...WRAPPERS.map((name) => result[name])]) {
    if (!isRecord(holder)) continue;
    const array = CONTAINERS.map((name) => holder[name]).find((value) => Array.isArray(value));
    if (array) return array;
  }
  return undefined;
}

function normalize(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replace(/^(?:\.?\/)+/u, '')
    .replace(/\/+$/u, '');
}

/** Returns the path of an item below the listed directory. */
function pathBelow(item: ListedItem, directories: readonly string[]): string | undefined {
  const given = [item['path'], item['name']].find((value) => typeof value === 'string');
  if (given === undefined) return undefined;
  const path = normalize(given);
  const directory = directories.find((start) => start !== '' && `${path}/`.startsWith(`${start}/`));
  return directory === undefined ? path : path.slice(directory.length + 1);
}

/** Returns whether an item is a directory; `undefined` when it does not tell. */
export function isDirectoryItem(item: ListedItem): boolean | undefined {
  const { isDirectory, kind, type, name, path } = item;
  if (typeof isDirectory === 'boolean') return isDirectory;
  const stated = [kind, type].find((value) => typeof value === 'string');
  if (stated !== undefined) return ['directory', 'dir', 'folder'].includes(stated);
  return [name, path].some((value) => typeof value === 'string' && value.endsWith('/')) || undefined;
}

/**
 * Finds the entries in the result of a list function. Returns `undefined` when it finds none.
 *
 * @param paths the names of the listed directory: entries may have them in front of their own.
 */
export function itemsOf(result: unknown, paths: readonly string[]): FoundItems | undefined {
  const array = arrayIn(result);
  if (array === undefined) return undefined;
  const directories = paths.map(normalize);
  const items: ListedItem[] = [];
  const names: string[] = [];
  let isNested = false;
  let isPlain = true;
  for (const value of array) {
    const item = typeof value === 'string' ? { name: value } : value;
    if (!isRecord(item)) return undefined;
    const below = pathBelow(item, directories);
    if (below === undefined) return undefined;
    // Some functions list the directory itself, too.
    if (below === '' || below === '.') continue;
    const [name = ''] = below.split('/');
    isNested ||= below !== name;
    isPlain &&= Object.keys(item).every((field) => PLAIN_FIELDS.has(field));
    names.push(name);
    items.push(item);
  }
  return { items, names, isNested, isPlain };
}
