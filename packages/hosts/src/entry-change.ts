import { HostError } from './errors.ts';
import { changeText, isObject, isSame, kindOf, valueAt } from './formats/config-format.ts';
import type { ConfigChange, ConfigFormat, ConfigObject } from './formats/config-format.ts';
import type { EntryKind } from './host.ts';
import { hashOfText } from './undo-notes.ts';
import type { UndoNote } from './undo-notes.ts';

/**
 * The effect on the entry. `keep`: the file has it already. `forget`: there is nothing left to undo.
 */
export type EntryAction = 'add' | 'replace' | 'keep' | 'restore' | 'remove' | 'forget';

/** A computed change of a configuration text. Nothing is written yet. */
export interface TextChange {
  /** The new text; `null` deletes the file, `undefined` leaves it unchanged. */
  readonly text: string | null | undefined;
  readonly action: EntryAction;
  readonly entryPath: readonly string[];
  /** The entry before and after, as parsed from the file. */
  readonly from: unknown;
  readonly to: unknown;
}

/** Returns how many of the objects above an entry exist. */
function knownParents(config: ConfigObject, path: readonly string[]): number {
  const depth = path.findIndex((_, index) => !isObject(valueAt(config, path.slice(0, index + 1))));
  return Math.min(depth === -1 ? path.length : depth, path.length - 1);
}

/**
 * Refuses to change a value that is not an entry: it is not ours, and whatever it means would be lost.
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

/**
 * Computes the text that has the entry.
 *
 * @throws {HostError} see `changeText`.
 */
export function installInText<Value>(
  format: ConfigFormat,
  kind: Pick<EntryKind<Value>, 'path' | 'render' | 'conflictingKeys'>,
  { text: before, name, value }: { readonly text: string; readonly name: string; readonly value: Value },
): TextChange {
  const config = format.parse(before);
  const entryPath = kind.path(name, config);
  const from = valueAt(config, entryPath);
  const wanted = kind.render(value, config);
  requireEntry(entryPath, from, wanted);
  const changes = entryChanges(entryPath, { old: from, wanted }, kind.conflictingKeys);
  if (changes.length === 0) return { text: undefined, action: 'keep', entryPath, from, to: from };
  const text = changeText(format, before, changes);
  const to = valueAt(format.parse(text), entryPath);
  return { text, action: from === undefined ? 'add' : 'replace', entryPath, from, to };
}

/** Returns the note that undoes a change which is about to be written. */
export function noteOf(
  change: TextChange,
  known: {
    readonly path: string;
    readonly before: string | undefined;
    readonly directories: readonly string[];
    readonly format: ConfigFormat;
    readonly earlier: UndoNote | undefined;
  },
): UndoNote {
  const { path, before, directories, format, earlier } = known;
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
    knownParents: knownParents(format.parse(before ?? ''), change.entryPath),
    ...(change.from !== undefined && { entryBefore: change.from }),
  };
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

/** Removes the objects that were created for the entry and are empty now. */
function withoutParents(format: ConfigFormat, text: string, note: UndoNote): string {
  const parents = note.entryPath.slice(0, -1);
  let changed = text;
  for (let depth = parents.length; depth > note.knownParents; depth--) {
    const path = parents.slice(0, depth);
    const value = valueAt(format.parse(changed), path);
    if (!isObject(value) || Object.keys(value).length > 0) break;
    changed = changeText(format, changed, [{ path, value: undefined }]);
  }
  return changed;
}

/**
 * Computes the text without the installation. A file that did not change since gets its old content; in any other file only
 * the entry changes.
 *
 * @throws {HostError} see `changeText`.
 */
export function undoInText(format: ConfigFormat, note: UndoNote, text: string | undefined): TextChange {
  const { entryPath, entryBefore: to, before } = note;
  if (text === undefined) return { text: undefined, action: 'forget', entryPath, from: undefined, to };
  const action = to === undefined ? 'remove' : 'restore';
  if (before !== undefined && hashOfText(text) === note.after) {
    return { text: before, action, entryPath, from: note.entryAfter, to };
  }
  const from = valueAt(format.parse(text), entryPath);
  if (isSame(from, to)) return { text: undefined, action: 'forget', entryPath, from, to };
  requireEntry(entryPath, from, note.entryAfter);
  const restored = withoutParents(format, changeText(format, text, restoringChanges(note, from)), note);
  const isOurs = before === null && Object.keys(format.parse(restored)).length === 0 && !/[#/]/u.test(restored);
  return { text: isOurs ? null : restored, action, entryPath, from, to };
}
