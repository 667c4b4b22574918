import { HostError } from './errors.ts';
import { changeText, differences, isObject, isSame, kindOf, valueAt } from './formats/config-format.ts';
import type { ConfigChange, ConfigFormat, ConfigObject, ConfigPath } from './formats/config-format.ts';
import type { ElementRule, EntryKind } from './host.ts';
import { hashOfText, type UndoNote } from './undo-notes.ts';

/**
 * The effect on the entry. `keep`: the file has it already. `forget`: there is nothing left to undo. `leave`: the entry is a
 * whole file that was changed since the installation, so undo does not touch it.
 */
export type EntryAction = 'add' | 'replace' | 'keep' | 'restore' | 'remove' | 'forget' | 'leave';

/** A computed change of a configuration text. Nothing is written yet. */
export interface TextChange {
  /** The new text; `null` deletes the file, `undefined` leaves it unchanged. */
  readonly text: string | null | undefined;
  readonly action: EntryAction;
  /** The keys that lead to the entry; for an element of an array, to the array. */
  readonly entryPath: readonly string[];
  /** The entry before and after, as parsed from the file. */
  readonly from: unknown;
  readonly to: unknown;
}

/** Returns the number of existing objects and arrays above an entry. */
export function knownParents(config: ConfigObject, path: ConfigPath): number {
  const isParent = (value: unknown): boolean => isObject(value) || Array.isArray(value);
  const depth = path.findIndex((_, index) => !isParent(valueAt(config, path.slice(0, index + 1))));
  return Math.min(depth === -1 ? path.length : depth, path.length - 1);
}

/**
 * Does not change a value that is not an entry: it is not ours, and whatever it means would be lost.
 *
 * @throws {HostError} `CONFIG_SHAPE`.
 */
function requireEntry(path: readonly string[], value: unknown, wanted: unknown): void {
  if (value === undefined || !isObject(wanted) || isObject(value)) return;
  const message = `${path.join('.')} is ${kindOf(value)} instead of an entry; remove it or choose another name`;
  throw new HostError('CONFIG_SHAPE', message);
}

/** An entry in a parsed configuration. */
interface PlacedEntry {
  /** `undefined` when there is none. */
  readonly entry: unknown;
  /** The keys that lead to the entry, down to its index when it is an element. */
  readonly path: ConfigPath;
  /**
   * Returns the changes that make the entry the wanted one; `undefined` removes it. Of an entry with keys of its own, the dropped
   * ones are removed and the others stay.
   */
  readonly changesTo: (wanted: unknown, dropped: readonly string[]) => ConfigChange[];
}

/** Finds an element of an array, which may be there several times. Other elements belong to other people. */
function findElement(
  config: ConfigObject,
  keys: readonly string[],
  { rule, name }: { readonly rule: ElementRule; readonly name: string },
): PlacedEntry {
  const value = valueAt(config, keys);
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const indexes = [...list.keys()].filter((index) => rule.matches(list[index], name));
  const [index = list.length, ...duplicates] = indexes;
  const entry = list[index];
  const path = [...keys, index];
  // From the end, so that the other indexes stay valid.
  const without = (some: readonly number[]): ConfigChange[] =>
    some.toReversed().flatMap((at) => differences([...keys, at], [list[at], rule.without(list[at], name)]));
  const changesTo = (wanted: unknown): ConfigChange[] => {
    if (wanted !== undefined) {
      const merged = entry === undefined ? wanted : rule.merge(entry, wanted, name);
      return [...without(duplicates), ...differences(path, [entry, merged])];
    }
    // Of a value of another kind, the format states the place.
    return value === undefined || Array.isArray(value) ? without(indexes) : [{ path, value: undefined }];
  };
  return { entry, path, changesTo };
}

function findEntry(
  config: ConfigObject,
  keys: readonly string[],
  { element, name }: { readonly element?: ElementRule | undefined; readonly name: string },
): PlacedEntry {
  if (element) return findElement(config, keys, { rule: element, name });
  const entry = valueAt(config, keys);
  const changesTo = (wanted: unknown, dropped: readonly string[]): ConfigChange[] => {
    if (!isObject(entry) || !isObject(wanted)) return isSame(entry, wanted) ? [] : [{ path: keys, value: wanted }];
    const set = Object.entries(wanted).filter(([key, value]) => !isSame(entry[key], value));
    return [
      ...dropped.filter((key) => Object.hasOwn(entry, key)).map((key) => ({ path: [...keys, key], value: undefined })),
      ...set.map(([key, value]) => ({ path: [...keys, key], value })),
    ];
  };
  return { entry, path: keys, changesTo };
}

/**
 * Computes the text that has the entry.
 *
 * @throws {HostError} see `changeText`.
 */
export function installInText<Value>(
  format: ConfigFormat,
  { path: pathOf, render, conflictingKeys, element }: EntryKind<Value>,
  { text: before, name, value }: { readonly text: string; readonly name: string; readonly value: Value },
): TextChange {
  const config = format.parse(before);
  const entryPath = pathOf(name, config);
  const wanted = render(value, config);
  const { entry: from, path, changesTo } = findEntry(config, entryPath, { element, name });
  const changes = changesTo(wanted, conflictingKeys);
  if (changes.length === 0) return { text: undefined, action: 'keep', entryPath, from, to: from };
  if (!element) requireEntry(entryPath, from, wanted);
  const text = changeText(format, before, changes);
  const to = valueAt(format.parse(text), path);
  return { text, action: from === undefined ? 'add' : 'replace', entryPath, from, to };
}

/** Returns the entry that a file has; `undefined` without one. */
export function entryInText(
  format: ConfigFormat,
  { path, element }: Pick<EntryKind<never>, 'path' | 'element'>,
  { text, name }: { readonly text: string; readonly name: string },
): unknown {
  const config = format.parse(text);
  return findEntry(config, path(name, config), { element, name }).entry;
}

/** Returns the note that undoes a change which is about to be written. `known` is the state before it. */
export function noteOf(
  { text, entryPath, from, to }: TextChange,
  known: Pick<UndoNote, 'path' | 'before' | 'directories' | 'knownParents'>,
  earlier: UndoNote | undefined,
): UndoNote {
  const note = { path: known.path, after: hashOfText(text ?? ''), entryPath, entryAfter: to };
  // A second installation over our own first one: undo then goes back to the state before the first.
  if (earlier && from !== undefined && isSame(earlier.entryAfter, from)) {
    const isUntouched = typeof known.before === 'string' && hashOfText(known.before) === earlier.after;
    const { before: first, ...rest } = earlier;
    return { ...rest, ...note, ...(isUntouched && first !== undefined && { before: first }) };
  }
  return { ...known, ...note, ...(from !== undefined && { entryBefore: from }) };
}

/** Removes the objects and arrays that were created for the entry and are empty now. */
function withoutParents(
  format: ConfigFormat,
  text: string,
  { note, path }: { note: UndoNote; path: ConfigPath },
): string {
  let changed = text;
  for (let depth = path.length - 1; depth > note.knownParents; depth--) {
    const above = path.slice(0, depth);
    const value = valueAt(format.parse(changed), above);
    if (typeof value !== 'object' || value === null || Object.keys(value).length > 0) break;
    changed = changeText(format, changed, [{ path: above, value: undefined }]);
  }
  return changed;
}

interface UndoneEntry {
  readonly note: UndoNote;
  readonly name: string;
  readonly element?: ElementRule | undefined;
  readonly isFile: boolean;
}

/**
 * Computes the text without the installation. A file that did not change since gets its old content; in any other file only
 * the entry changes, key by key, so that the comments in it stay.
 *
 * @throws {HostError} see `changeText`.
 */
export function undoInText(
  format: ConfigFormat,
  { note, name, element, isFile }: UndoneEntry,
  text: string | undefined,
): TextChange {
  const { entryPath, entryBefore: to, entryAfter, before } = note;
  if (text === undefined) return { text: undefined, action: 'forget', entryPath, from: undefined, to };
  const action = to === undefined ? 'remove' : 'restore';
  if (before !== undefined && hashOfText(text) === note.after) {
    return { text: before, action, entryPath, from: entryAfter, to };
  }
  const { entry: from, path, changesTo } = findEntry(format.parse(text), entryPath, { element, name });
  const added = isObject(from) && isObject(to) ? Object.keys(from).filter((key) => !Object.hasOwn(to, key)) : [];
  // An element that is gone is not restored.
  const changes = changesTo(element && from === undefined ? undefined : to, added);
  if (changes.length === 0) return { text: undefined, action: 'forget', entryPath, from, to };
  if (!element) requireEntry(entryPath, from, entryAfter);
  if (isFile && !isSame(from, entryAfter)) return { text: undefined, action: 'leave', entryPath, from, to: from };
  const restored = withoutParents(format, changeText(format, text, changes), { note, path });
  const isOurs = before === null && format.isBlank(restored);
  return { text: isOurs ? null : restored, action, entryPath, from, to };
}
