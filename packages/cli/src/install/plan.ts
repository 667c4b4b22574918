import type { Host } from '../hosts/host.ts';
import { changeText, isObject, isSame, valueAt } from './config-format.ts';
import type { ConfigChange, ConfigFormat, ConfigObject } from './config-format.ts';
import { hashOfText } from './undo-notes.ts';
import type { UndoNote } from './undo-notes.ts';

/** What is to become of a configuration. */
export interface Plan {
  /** The new text; `null` when the file is to go, `undefined` when nothing is to be done. */
  readonly text: string | null | undefined;
  readonly action: 'add' | 'replace' | 'keep' | 'restore' | 'remove' | 'forget';
  readonly entryPath: readonly string[];
  /** The entry before and after, as the file says it. */
  readonly from: unknown;
  readonly to: unknown;
}

/** How many of the objects above an entry there are. */
function knownParents(config: ConfigObject, path: readonly string[]): number {
  const depth = path.findIndex((_, index) => !isObject(valueAt(config, path.slice(0, index + 1))));
  return Math.min(depth === -1 ? path.length : depth, path.length - 1);
}

/** What makes the entry at a path the wanted one; keys that somebody added to it stay. */
function entryChanges(path: readonly string[], old: unknown, wanted: ConfigObject, host: Host): ConfigChange[] {
  if (!isObject(old)) return [{ path, value: wanted }];
  const foreign = host.foreignKeys.filter((key) => Object.hasOwn(old, key));
  return [
    ...foreign.map((key) => ({ path: [...path, key], value: undefined })),
    ...Object.entries(wanted)
      .filter(([key, value]) => !isSame(old[key], value))
      .map(([key, value]) => ({ path: [...path, key], value })),
  ];
}

/**
 * Puts a server into a configuration.
 *
 * @throws {ConfigError} see `changeText`.
 */
export function planInstall(
  format: ConfigFormat,
  host: Host,
  wanted: { readonly text: string; readonly name: string; readonly entry: (config: ConfigObject) => ConfigObject },
): Plan {
  const config = format.parse(wanted.text);
  const entryPath = [...host.servers(config), wanted.name];
  const from = valueAt(config, entryPath);
  const changes = entryChanges(entryPath, from, wanted.entry(config), host);
  if (changes.length === 0) return { text: undefined, action: 'keep', entryPath, from, to: from };
  const text = changeText(format, wanted.text, changes);
  const to = valueAt(format.parse(text), entryPath);
  return { text, action: from === undefined ? 'add' : 'replace', entryPath, from, to };
}

/** What has to be known to undo a plan that is about to be carried out. */
export function noteOf(
  plan: Plan,
  known: {
    readonly path: string;
    readonly before: string | undefined;
    readonly directories: readonly string[];
    readonly format: ConfigFormat;
    readonly earlier: UndoNote | undefined;
  },
): UndoNote {
  const { path, before, directories, format, earlier } = known;
  const note = { path, after: hashOfText(plan.text ?? ''), entryPath: plan.entryPath, entryAfter: plan.to };
  // Installed once more over what was installed: undone is then what there was at first.
  if (earlier && plan.from !== undefined && isSame(earlier.entryAfter, plan.from)) {
    const isUntouched = before !== undefined && hashOfText(before) === earlier.after;
    const { before: first, ...rest } = earlier;
    return { ...rest, ...note, ...(isUntouched && first !== undefined && { before: first }) };
  }
  return {
    ...note,
    before: before ?? null,
    directories,
    knownParents: knownParents(format.parse(before ?? ''), plan.entryPath),
    ...(plan.from !== undefined && { entryBefore: plan.from }),
  };
}

/** What brings an entry back to what it was, key by key, so that the comments in it stay. */
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

/** Takes out the objects that were made for the entry and that nothing is left in. */
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
 * Takes an installation back. A file that nobody touched since gets its old content; otherwise only the entry does.
 *
 * @throws {ConfigError} see `changeText`.
 */
export function planUndo(format: ConfigFormat, note: UndoNote, text: string | undefined): Plan {
  const { entryPath, entryBefore: to, before } = note;
  if (text === undefined) return { text: undefined, action: 'forget', entryPath, from: undefined, to };
  const action = to === undefined ? 'remove' : 'restore';
  if (before !== undefined && hashOfText(text) === note.after) {
    return { text: before, action, entryPath, from: note.entryAfter, to };
  }
  const from = valueAt(format.parse(text), entryPath);
  if (isSame(from, to)) return { text: undefined, action: 'forget', entryPath, from, to };
  const restored = withoutParents(format, changeText(format, text, restoringChanges(note, from)), note);
  const isMade = before === null && Object.keys(format.parse(restored)).length === 0 && !/[#/]/u.test(restored);
  return { text: isMade ? null : restored, action, entryPath, from, to };
}
