import { HostError } from './errors.ts';
import { changeText, differences, isObject, isSame, kindOf, valueAt } from './formats/config-format.ts';
import type { ConfigChange, ConfigFormat, ConfigObject, ConfigPath } from './formats/config-format.ts';
import type { ElementRule, EntryKind } from './host.ts';
import { hashOfText } from './undo-notes.ts';
import type { UndoNote } from './undo-notes.ts';

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

/** What the functions of this file need of a kind. */
type ChangedKind<Value> = Pick<EntryKind<Value>, 'path' | 'render' | 'conflictingKeys' | 'element'>;

/** Returns the keys that lead to an entry, down to its index when it is an element. */
function fullPath(entryPath: readonly string[], element: ElementRule | undefined, index: number = 0): ConfigPath {
  return element ? [...entryPath, index] : entryPath;
}

/** Returns the number of existing objects and arrays above an entry. */
function knownParents(config: ConfigObject, path: ConfigPath): number {
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

/** Returns the changes that turn the entry at a path into the wanted one. Keys that a user added to it stay. */
function entryChanges(
  path: readonly string[],
  { old, wanted }: { readonly old: unknown; readonly wanted: unknown },
  conflictingKeys: readonly string[],
): ConfigChange[] {
  if (!isObject(old) || !isObject(wanted)) return isSame(old, wanted) ? [] : [{ path, value: wanted }];
  const conflicts = conflictingKeys.filter((key) => Object.hasOwn(old, key));
  return [
    ...conflicts.map((key) => ({ path: [...path, key], value: undefined })),
    ...Object.entries(wanted)
      .filter(([key, value]) => !isSame(old[key], value))
      .map(([key, value]) => ({ path: [...path, key], value })),
  ];
}

/** The elements of an array that hold an entry. Others belong to other people. */
interface Elements {
  readonly list: readonly unknown[];
  readonly indexes: readonly number[];
}

function elementsOf(value: unknown, rule: ElementRule, name: string): Elements {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return { list, indexes: [...list.keys()].filter((index) => rule.matches(list[index], name)) };
}

/** Returns the changes that take an entry out of some elements, from the end, so that the other indexes stay valid. */
function removals(
  path: readonly string[],
  { list, indexes }: Elements,
  { rule, name }: { readonly rule: ElementRule; readonly name: string },
): ConfigChange[] {
  return indexes
    .toReversed()
    .flatMap((index) => differences([...path, index], [list[index], rule.without(list[index], name)]));
}

/** Returns the changes that make an array have the entry once: in the first element that has it, otherwise in a new one. */
function elementChanges(
  path: readonly string[],
  { value, wanted }: { readonly value: unknown; readonly wanted: unknown },
  { rule, name }: { readonly rule: ElementRule; readonly name: string },
): { readonly index: number; readonly changes: readonly ConfigChange[] } {
  const elements = elementsOf(value, rule, name);
  const [index = elements.list.length, ...duplicates] = elements.indexes;
  const old = elements.list[index];
  const merged = old === undefined ? wanted : rule.merge(old, wanted, name);
  const others = removals(path, { ...elements, indexes: duplicates }, { rule, name });
  return { index, changes: [...others, ...differences([...path, index], [old, merged])] };
}

/**
 * Computes the text that has the entry.
 *
 * @throws {HostError} see `changeText`.
 */
export function installInText<Value>(
  format: ConfigFormat,
  kind: ChangedKind<Value>,
  { text: before, name, value }: { readonly text: string; readonly name: string; readonly value: Value },
): TextChange {
  const config = format.parse(before);
  const entryPath = kind.path(name, config);
  const wanted = kind.render(value, config);
  const { index, changes } = changesOf(kind, { config, entryPath, wanted, name });
  const from = valueAt(config, fullPath(entryPath, kind.element, index));
  if (changes.length === 0) return { text: undefined, action: 'keep', entryPath, from, to: from };
  const text = changeText(format, before, changes);
  const to = valueAt(format.parse(text), fullPath(entryPath, kind.element, index));
  return { text, action: from === undefined ? 'add' : 'replace', entryPath, from, to };
}

function changesOf<Value>(
  { element, conflictingKeys }: ChangedKind<Value>,
  known: {
    readonly config: ConfigObject;
    readonly entryPath: readonly string[];
    readonly wanted: unknown;
    readonly name: string;
  },
): { readonly index: number; readonly changes: readonly ConfigChange[] } {
  const { config, entryPath, wanted, name } = known;
  const value = valueAt(config, entryPath);
  if (element) return elementChanges(entryPath, { value, wanted }, { rule: element, name });
  requireEntry(entryPath, value, wanted);
  return { index: 0, changes: entryChanges(entryPath, { old: value, wanted }, conflictingKeys) };
}

/** Returns the entry that a text has; `undefined` when it has none. */
export function entryInText<Value>(
  format: ConfigFormat,
  { path, element }: ChangedKind<Value>,
  { text, name }: { readonly text: string; readonly name: string },
): unknown {
  const config = format.parse(text);
  const value = valueAt(config, path(name, config));
  if (!element) return value;
  const { list, indexes } = elementsOf(value, element, name);
  return indexes[0] === undefined ? undefined : list[indexes[0]];
}

/** Returns the note that undoes a change which is about to be written. */
export function noteOf(
  change: TextChange,
  known: {
    readonly path: string;
    readonly before: string | undefined;
    readonly directories: readonly string[];
    readonly format: ConfigFormat;
    readonly element: ElementRule | undefined;
    readonly earlier: UndoNote | undefined;
  },
): UndoNote {
  const { path, before, directories, format, element, earlier } = known;
  const note = { path, after: hashOfText(change.text ?? ''), entryPath: change.entryPath, entryAfter: change.to };
  // A second installation over our own first one: undo then goes back to the state before the first.
  if (earlier && change.from !== undefined && isSame(earlier.entryAfter, change.from)) {
    const isUntouched = before !== undefined && hashOfText(before) === earlier.after;
    const { before: first, ...rest } = earlier;
    return { ...rest, ...note, ...(isUntouched && first !== undefined && { before: first }) };
  }
  return {
    ...note,
    before: before ?? null,
    directories,
    knownParents: knownParents(format.parse(before ?? ''), fullPath(change.entryPath, element)),
    ...(change.from !== undefined && { entryBefore: change.from }),
  };
}

/** Returns a note for an entry that was installed without one: undo removes the entry, and what is empty then. */
export function noteOfFound(
  entry: unknown,
  { path, entryPath, directories }: Pick<UndoNote, 'path' | 'entryPath' | 'directories'>,
): UndoNote {
  return { path, entryPath, directories, before: null, after: '', entryAfter: entry, knownParents: 0 };
}

/** Returns the changes that restore an entry, key by key, so that the comments in it stay. */
function restoringChanges({ entryPath, entryBefore }: UndoNote, now: unknown): ConfigChange[] {
  if (!isObject(entryBefore) || !isObject(now)) return [{ path: entryPath, value: entryBefore }];
  const added = Object.keys(now).filter((key) => !Object.hasOwn(entryBefore, key));
  return [
    ...added.map((key) => ({ path: [...entryPath, key], value: undefined })),
    ...Object.entries(entryBefore)
      .filter(([key, value]) => !isSame(now[key], value))
      .map(([key, value]) => ({ path: [...entryPath, key], value })),
  ];
}

/** Removes the objects and arrays that were created for the entry and are empty now. */
function withoutParents(
  format: ConfigFormat,
  text: string,
  { note, path }: { note: UndoNote; path: ConfigPath },
): string {
  const parents = path.slice(0, -1);
  let changed = text;
  for (let depth = parents.length; depth > note.knownParents; depth--) {
    const above = parents.slice(0, depth);
    const value = valueAt(format.parse(changed), above);
    if (typeof value !== 'object' || value === null || Object.keys(value).length > 0) break;
    changed = changeText(format, changed, [{ path: above, value: undefined }]);
  }
  return changed;
}

/** What undoing needs besides the texts. */
interface UndoneEntry {
  readonly note: UndoNote;
  readonly name: string;
  readonly element?: ElementRule | undefined;
  /** Whether the entry is a whole file. */
  readonly isFile: boolean;
}

/** Returns the entry in a changed configuration, and the changes that undo the installation in it. */
function undoneChanges(
  config: ConfigObject,
  { note, name, element }: UndoneEntry,
): { readonly from: unknown; readonly changes: readonly ConfigChange[] } {
  const { entryPath, entryBefore } = note;
  const value = valueAt(config, entryPath);
  if (!element) {
    const isDone = isSame(value, entryBefore);
    if (!isDone) requireEntry(entryPath, value, note.entryAfter);
    return { from: value, changes: isDone ? [] : restoringChanges(note, value) };
  }
  // Of a value of another kind, the format states the place.
  if (value !== undefined && !Array.isArray(value)) {
    return { from: value, changes: [{ path: [...entryPath, 0], value: undefined }] };
  }
  const rule = { rule: element, name };
  const elements = elementsOf(value, element, name);
  const [first] = elements.indexes;
  if (first === undefined) return { from: undefined, changes: [] };
  const from = elements.list[first];
  return entryBefore === undefined
    ? { from, changes: removals(entryPath, elements, rule) }
    : { from, changes: elementChanges(entryPath, { value, wanted: entryBefore }, rule).changes };
}

/**
 * Computes the text without the installation. A file that did not change since gets its old content; in any other file only
 * the entry changes.
 *
 * @throws {HostError} see `changeText`.
 */
export function undoInText(format: ConfigFormat, undone: UndoneEntry, text: string | undefined): TextChange {
  const { note, element, isFile } = undone;
  const { entryPath, entryBefore: to, before } = note;
  if (text === undefined) return { text: undefined, action: 'forget', entryPath, from: undefined, to };
  const action = to === undefined ? 'remove' : 'restore';
  if (before !== undefined && hashOfText(text) === note.after) {
    return { text: before, action, entryPath, from: note.entryAfter, to };
  }
  const { from, changes } = undoneChanges(format.parse(text), undone);
  if (changes.length === 0) return { text: undefined, action: 'forget', entryPath, from, to };
  if (isFile && !isSame(from, note.entryAfter)) return { text: undefined, action: 'leave', entryPath, from, to: from };
  const path = fullPath(entryPath, element);
  const restored = withoutParents(format, changeText(format, text, changes), { note, path });
  const isOurs = before === null && format.isBlank(restored);
  return { text: isOurs ? null : restored, action, entryPath, from, to };
}
