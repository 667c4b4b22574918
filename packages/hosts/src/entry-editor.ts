import type { OptionNames } from '@cairn/tool/errors';
import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { entryInText, installInText, knownParents, noteOf, undoInText, type TextChange } from './entry-change.ts';
import { checkArguments, HostError, withPath } from './errors.ts';
import { fileFormat, type ConfigFormat } from './formats/config-format.ts';
import { jsonFormat } from './formats/json-format.ts';
import { sectionFormat } from './formats/section-format.ts';
import { tomlFormat } from './formats/toml-format.ts';
import type { EntryKind, HostContext, HostName, ConfigScope } from './host.ts';
import { removeEmpty, UndoNotes, type UndoNote } from './undo-notes.ts';

/**
 * One configuration file, open for a change. The caller of this package implements it, because a safe change (atomic
 * replace, file mode, links, a check that the file did not change since) needs a commit engine, which is above this
 * package.
 */
export interface ConfigFile {
  readonly path: string;
  /** The content without a byte order mark; `undefined` when the file does not exist. */
  readonly text: string | undefined;
  /** The directories that a new file needs, outermost first. */
  readonly missingDirectories: readonly string[];
  /** Replaces the content, or creates the file. Rejects when the file changed since it was opened. */
  write(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** Opens a configuration file, which need not exist. */
export type OpenConfigFile<File extends ConfigFile = ConfigFile> = (path: string) => Promise<File>;

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

function subjectOf<Value>({ kind, name }: EntryTarget<Value>, path: string): readonly string[] {
  return [kind.id, path, name];
}

/** Plans changes of entries. A plan changes nothing before `apply`, so that a user can be asked in between. */
export class EntryEditor<File extends ConfigFile = ConfigFile> {
  readonly #open: OpenConfigFile<File>;
  readonly #notes: UndoNotes;

  constructor({ open, stateDirectory }: EntryEditorOptions<File>) {
    this.#open = open;
    this.#notes = new UndoNotes(stateDirectory);
  }

  /**
   * Returns the entry that is installed, by whomever; `undefined` when no file has it.
   *
   * @throws {HostError} `CONFIG_SYNTAX`, `CONFIG_SHAPE`.
   */
  async find<Value>({ kind, scope, context, name }: EntryTarget<Value>): Promise<FoundEntry | undefined> {
    for (const path of kind.files(scope, context, name)) {
      const { text } = await this.#open(path);
      if (text === undefined) continue;
      const entry = withPath(path, () => entryInText(formats[kind.format], kind, { text, name }));
      if (entry !== undefined) return { path, entry };
    }
    return undefined;
  }

  /**
   * Plans to put an entry into the configuration.
   *
   * @throws {HostError} `CONFIG_SYNTAX`, `CONFIG_SHAPE`, `CONFIG_UNSUPPORTED`; from `apply` also `STATE`.
   */
  async planInstall<Value>(target: EntryTarget<Value>, value: Value): Promise<EntryChange<File>> {
    const { kind, scope, context, name } = target;
    const format = formats[kind.format];
    const paths = kind.files(scope, context, name);
    const path = paths.find((one) => existsSync(one)) ?? paths[0] ?? '';
    const file = await this.#open(path);
    const before = file.text ?? '';
    const change = withPath(path, () => installInText(format, kind, { text: before, name, value }));
    const { text, entryPath } = change;
    const apply = async (): Promise<void> => {
      if (typeof text !== 'string') return;
      const subject = subjectOf(target, path);
      const earlier = await this.#notes.get(subject);
      const known = {
        path,
        before: file.text ?? null,
        directories: [...new Set([...(await this.#directoriesAbove(path)), ...file.missingDirectories])],
        knownParents: knownParents(format.parse(before), kind.element ? [...entryPath, 0] : entryPath),
      };
      // The note comes first, so that every change that was made can be undone, wherever the process is killed.
      await this.#notes.set(subject, noteOf(change, known, earlier));
      await file.write(text);
    };
    return { ...change, file, apply };
  }

  /**
   * Plans to undo what `planInstall` did.
   *
   * @throws {HostError} `NOTHING_TO_UNDO`, `STATE`, and the codes of `planInstall`.
   */
  async planUndo<Value>(target: EntryTarget<Value>): Promise<EntryChange<File>> {
    const { kind, name } = target;
    const note = await this.#findNote(target);
    const { path, directories } = note;
    const file = await this.#open(path);
    const undone = { note, name, element: kind.element, isFile: kind.format === 'file' };
    const change = withPath(path, () => undoInText(formats[kind.format], undone, file.text));
    const { text } = change;
    const apply = async (): Promise<void> => {
      if (text === null) await file.remove();
      else if (text !== undefined) await file.write(text);
      const isGone = text === null || (text === undefined && file.text === undefined);
      if (isGone) await removeEmpty(directories);
      await this.#notes.delete(subjectOf(target, path));
    };
    return { ...change, file, apply };
  }

  async #findNote<Value>(target: EntryTarget<Value>): Promise<UndoNote> {
    const { host, kind, scope, context, name } = target;
    const paths = kind.files(scope, context, name);
    for (const path of paths) {
      const note = await this.#notes.get(subjectOf(target, path));
      if (note) return note;
    }
    const own = await this.#noteOfOwn(target);
    if (own) return own;
    const message = `nothing to undo: ${name} of ${host.title} was not installed in ${paths.join(' or ')}, or is already undone; check --scope, --root and --name`;
    throw new HostError('NOTHING_TO_UNDO', message, { path: paths[0] });
  }

  /** Returns a note for an entry that has none and is our own: undo removes the entry, and what is empty then. */
  async #noteOfOwn<Value>(target: EntryTarget<Value>): Promise<UndoNote | undefined> {
    const { kind, name, isOwn } = target;
    const found = isOwn && (await this.find(target));
    if (!found || !isOwn(found.entry)) return undefined;
    const { path, entry } = found;
    const directories = kind.format === 'file' ? [dirname(path)] : [];
    const entryPath = kind.path(name, {});
    return { path, entryPath, directories, before: null, after: '', entryAfter: entry, knownParents: 0 };
  }

  /** Returns the directories above a file that other installations created. Whichever is undone last removes them. */
  async #directoriesAbove(path: string): Promise<string[]> {
    const created = (await this.#notes.all()).flatMap(({ directories }) => directories);
    const above = created.filter((directory) => path.startsWith(join(directory, sep)));
    return [...new Set(above)].toSorted((one, other) => one.length - other.length);
  }
}

export function createEntryEditor<File extends ConfigFile>(options: EntryEditorOptions<File>): EntryEditor<File> {
  const names: OptionNames<EntryEditorOptions<ConfigFile>> = { open: 'required', stateDirectory: 'required' };
  checkArguments.options('createEntryEditor', options, names);
  return new EntryEditor(options);
}
