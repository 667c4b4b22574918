import type { OptionNames } from '@cairn/tool/errors';
import { stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { ConfigFile, OpenConfigFile } from './config-file.ts';
import { entryInText, installInText, noteOf, noteOfFound, undoInText } from './entry-change.ts';
import type { TextChange } from './entry-change.ts';
import { checkArguments, HostError, withPath } from './errors.ts';
import type { ConfigFormat } from './formats/config-format.ts';
import { fileFormat } from './formats/file-format.ts';
import { jsonFormat } from './formats/json-format.ts';
import { sectionFormat } from './formats/section-format.ts';
import { tomlFormat } from './formats/toml-format.ts';
import type { EntryKind, HostContext, HostName, ConfigScope } from './host.ts';
import { removeEmpty } from './remove-empty.ts';
import { createUndoNotes } from './undo-notes.ts';
import type { UndoNote } from './undo-notes.ts';

/** One entry of one kind in the configuration of a host. */
export interface EntryTarget<Value> {
  readonly host: HostName;
  readonly kind: EntryKind<Value>;
  readonly scope: ConfigScope;
  readonly context: HostContext;
  readonly name: string;
  /**
   * Returns whether an entry was installed by this program, perhaps by another person. Undo removes such an entry also without a
   * note. By default, undo needs a note.
   */
  readonly isOwn?: ((entry: unknown) => boolean) | undefined;
}

/** An entry that a configuration has. */
export interface FoundEntry {
  readonly path: string;
  readonly entry: unknown;
}

/** A change that is planned and not yet made. */
export interface EntryChange<File extends ConfigFile = ConfigFile> extends TextChange {
  readonly file: File;
  /** Makes the change, and keeps or deletes the undo note. */
  apply(): Promise<void>;
}

/** Plans changes of entries. A plan changes nothing before `apply`, so that a user can be asked in between. */
export interface EntryEditor<File extends ConfigFile = ConfigFile> {
  /**
   * Plans to put an entry into the configuration.
   *
   * @throws {HostError} `CONFIG_SYNTAX`, `CONFIG_SHAPE`, `CONFIG_UNSUPPORTED`; from `apply` also `STATE`.
   */
  planInstall<Value>(target: EntryTarget<Value>, value: Value): Promise<EntryChange<File>>;
  /**
   * Plans to undo what `planInstall` did.
   *
   * @throws {HostError} `NOTHING_TO_UNDO`, `STATE`, and those of `planInstall`.
   */
  planUndo<Value>(target: EntryTarget<Value>): Promise<EntryChange<File>>;
  /**
   * Returns the entry that is installed, by whomever; `undefined` when no file has it.
   *
   * @throws {HostError} `CONFIG_SYNTAX`, `CONFIG_SHAPE`.
   */
  find<Value>(target: EntryTarget<Value>): Promise<FoundEntry | undefined>;
}

/** What an editor uses. */
export interface EntryEditorOptions<File extends ConfigFile> {
  readonly open: OpenConfigFile<File>;
  /** Where undo notes are kept: a directory of this user that outlives a restart. Created on the first installation. */
  readonly stateDirectory: string;
}

const formats: Readonly<Record<EntryKind<never>['format'], ConfigFormat>> = {
  json: jsonFormat,
  toml: tomlFormat,
  section: sectionFormat,
  file: fileFormat,
};

async function firstExisting(paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    const exists = await stat(path).then(
      () => true,
      () => false,
    );
    if (exists) return path;
  }
  return paths[0] ?? '';
}

function subjectOf<Value>({ kind, name }: EntryTarget<Value>, path: string): readonly string[] {
  return [kind.id, path, name];
}

/** Creates an editor. */
export function createEntryEditor<File extends ConfigFile>(options: EntryEditorOptions<File>): EntryEditor<File> {
  const names: OptionNames<EntryEditorOptions<ConfigFile>> = { open: 'required', stateDirectory: 'required' };
  checkArguments.options('createEntryEditor', options, names);
  const { open, stateDirectory } = options;
  const notes = createUndoNotes(stateDirectory);

  async function find<Value>(target: EntryTarget<Value>): Promise<FoundEntry | undefined> {
    const { kind, scope, context, name } = target;
    for (const path of kind.files(scope, context, name)) {
      const { text } = await open(path);
      if (text === undefined) continue;
      const entry = withPath(path, () => entryInText(formats[kind.format], kind, { text, name }));
      if (entry !== undefined) return { path, entry };
    }
    return undefined;
  }

  /** Returns a note for an entry that has none and is our own. */
  async function noteOfOwn<Value>(target: EntryTarget<Value>): Promise<UndoNote | undefined> {
    const { kind, name, isOwn } = target;
    const found = isOwn && (await find(target));
    if (!found || !isOwn(found.entry)) return undefined;
    const { path, entry } = found;
    const directories = kind.format === 'file' ? [dirname(path)] : [];
    return noteOfFound(entry, { path, entryPath: kind.path(name, {}), directories });
  }

  async function findNote<Value>(target: EntryTarget<Value>): Promise<UndoNote> {
    const { host, kind, scope, context, name } = target;
    const paths = kind.files(scope, context, name);
    for (const path of paths) {
      const note = await notes.get(subjectOf(target, path));
      if (note) return note;
    }
    const own = await noteOfOwn(target);
    if (own) return own;
    const message = `nothing to undo: ${name} of ${host.title} was not installed in ${paths.join(' or ')}, or is already undone; check --scope, --root and --name`;
    throw new HostError('NOTHING_TO_UNDO', message, { path: paths[0] });
  }

  /** Returns the directories above a file that other installations created. Whichever is undone last removes them. */
  async function directoriesAbove(path: string): Promise<string[]> {
    const created = (await notes.all()).flatMap(({ directories }) => directories);
    const above = created.filter((directory) => path.startsWith(join(directory, sep)));
    return [...new Set(above)].toSorted((one, other) => one.length - other.length);
  }

  return {
    find,
    planInstall: async (target, value) => {
      const { kind, scope, context, name } = target;
      const format = formats[kind.format];
      const path = await firstExisting(kind.files(scope, context, name));
      const file = await open(path);
      const change = withPath(path, () => installInText(format, kind, { text: file.text ?? '', name, value }));
      const { text } = change;
      const apply = async (): Promise<void> => {
        if (typeof text !== 'string') return;
        const subject = subjectOf(target, path);
        const earlier = await notes.get(subject);
        const known = {
          path,
          before: file.text,
          directories: [...new Set([...(await directoriesAbove(path)), ...file.missingDirectories])],
          format,
          element: kind.element,
          earlier,
        };
        // The note comes first, so that every change that was made can be undone, wherever the process is killed.
        await notes.set(subject, noteOf(change, known));
        await file.write(text);
      };
      return { ...change, file, apply };
    },
    planUndo: async (target) => {
      const { kind, name } = target;
      const note = await findNote(target);
      const { path, directories } = note;
      const file = await open(path);
      const undone = { note, name, element: kind.element, isFile: kind.format === 'file' };
      const change = withPath(path, () => undoInText(formats[kind.format], undone, file.text));
      const { text } = change;
      const apply = async (): Promise<void> => {
        if (text === null) await file.remove();
        else if (text !== undefined) await file.write(text);
        const isGone = text === null || (text === undefined && file.text === undefined);
        if (isGone) await removeEmpty(directories);
        await notes.delete(subjectOf(target, path));
      };
      return { ...change, file, apply };
    },
  };
}
