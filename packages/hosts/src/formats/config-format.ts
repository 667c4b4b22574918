import { isDeepStrictEqual } from 'node:util';
import { HostError } from '../errors.ts';

/** A parsed configuration. */
export type ConfigObject = Readonly<Record<string, unknown>>;

/** The keys that lead to a value. A number is the index of an array's element. */
export type ConfigPath = readonly (string | number)[];

/** Sets the value at a path; `undefined` removes it. The index after the last element of an array adds an element. */
export interface ConfigChange {
  readonly path: ConfigPath;
  readonly value: unknown;
}

/** A configuration language. Texts have no byte order mark. */
export interface ConfigFormat {
  /**
   * Parses a string. An empty text is an empty object.
   *
   * @throws {HostError} `CONFIG_SYNTAX`; `CONFIG_SHAPE` when it is not an object.
   */
  parse(text: string): ConfigObject;
  /**
   * Makes one change and keeps every other byte where possible. Called through {@link changeText} only, which checks the
   * result.
   *
   * @throws {HostError} `CONFIG_SHAPE` when a value of another kind is in the way.
   */
  change(text: string, change: ConfigChange): string;
  /** Returns whether a string has neither values nor comments, so that nothing is lost. */
  isBlank(text: string): boolean;
}

export function isObject(value: unknown): value is ConfigObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns the kind of a value in words, with its article. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Date) return 'a date';
  if (isObject(value)) return 'an object';
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`;
}

function member(value: unknown, key: string | number): unknown {
  if (typeof key === 'number') return Array.isArray(value) ? value[key] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function valueAt(config: ConfigObject, path: ConfigPath): unknown {
  return path.reduce(member, config);
}

/** Returns a copy of a value with the change made below it. Missing objects and arrays above the changed value are created. */
export function changedValue(value: unknown, { path, value: wanted }: ConfigChange): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return wanted;
  const old = member(value, key);
  if (old === undefined && wanted === undefined) return value;
  const inner = changedValue(old, { path: rest, value: wanted });
  if (typeof key === 'number') {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return list.toSpliced(key, 1, ...(inner === undefined ? [] : [inner]));
  }
  const { [key]: _, ...others } = isObject(value) ? value : {};
  if (inner === undefined) return others;
  return isObject(value) ? { ...value, [key]: inner } : { [key]: inner };
}

export function changedObject(config: ConfigObject, change: ConfigChange): ConfigObject {
  const changed = changedValue(config, change);
  return isObject(changed) ? changed : config;
}

/** Returns the changes that turn one value into another. Values inside objects and arrays that are equal stay as they are written. */
export function differences(path: ConfigPath, [from, to]: readonly [from: unknown, to: unknown]): ConfigChange[] {
  if (isSame(from, to)) return [];
  if (isObject(from) && isObject(to)) {
    const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...keys].flatMap((key) => differences([...path, key], [from[key], to[key]]));
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    if (from.length === to.length) {
      return from.flatMap((value: unknown, index) => differences([...path, index], [value, to[index]]));
    }
    const removed = removedIndexes(from, to);
    // From the end, so that the other indexes stay valid.
    if (removed) return removed.toReversed().map((index) => ({ path: [...path, index], value: undefined }));
  }
  return [{ path, value: to }];
}

/** Returns the indexes that have to be removed to turn one list into another; `undefined` when removing is not enough. */
function removedIndexes(from: readonly unknown[], to: readonly unknown[]): number[] | undefined {
  const removed: number[] = [];
  let next = 0;
  for (const [index, value] of from.entries()) {
    if (next < to.length && isSame(value, to[next])) next++;
    else removed.push(index);
  }
  return next === to.length ? removed : undefined;
}

export function lineEndOf(text: string): string {
  return /\r?\n/u.exec(text)?.[0] ?? '\n';
}

export function splice(text: string, start: number, end: number, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end);
}

/**
 * Makes changes to a string, in sequence. Each result is parsed again and compared with the wanted configuration.
 *
 * @throws {HostError} `CONFIG_SYNTAX`, `CONFIG_SHAPE`; `CONFIG_UNSUPPORTED` when the comparison fails.
 */
export function changeText(format: ConfigFormat, text: string, changes: readonly ConfigChange[]): string {
  let changed = text;
  for (const change of changes) {
    const wanted = changedObject(format.parse(changed), change);
    const next = format.change(changed, change);
    if (!parsesTo(format, next, change.value === undefined ? [wanted, change.path] : [wanted, []])) {
      const message = `${change.path.join('.')} is written in a form that cannot be changed without touching other parts; change it by hand`;
      throw new HostError('CONFIG_UNSUPPORTED', message);
    }
    changed = next;
  }
  return changed;
}

/** Returns the configuration without empty objects above a path: TOML has no way to write them. */
function withoutEmpty(config: ConfigObject, path: ConfigPath): ConfigObject {
  const parent = path.slice(0, -1);
  if (parent.length === 0) return config;
  const value = valueAt(config, parent);
  const isEmpty = isObject(value) && Object.keys(value).length === 0;
  return withoutEmpty(isEmpty ? changedObject(config, { path: parent, value: undefined }) : config, parent);
}

function parsesTo(
  format: ConfigFormat,
  text: string,
  [wanted, removed]: readonly [wanted: ConfigObject, removed: ConfigPath],
): boolean {
  try {
    const [got, expected] = [format.parse(text), wanted].map((one) => withoutEmpty(one, removed));
    return isSame(got, expected);
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}

/** Returns whether two values are equal. Prototypes do not count: parsers create objects with different ones. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return new Map(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

/** The key of the only value of a file that belongs to us as a whole. */
export const FILE_CONTENT = 'content';

/** A file that is one entry: its value is the text. */
export const fileFormat: ConfigFormat = {
  parse: (text) => (text === '' ? {} : { [FILE_CONTENT]: text }),
  change: (_, { value }) => (typeof value === 'string' ? value : ''),
  isBlank: (text) => text === '',
};
