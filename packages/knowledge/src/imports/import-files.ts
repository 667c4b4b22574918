import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { CallOptions } from '@cairn/memory';
import { CairnError, type OptionNames } from '@cairn/tool/errors';
import type { Asset } from '../assets/asset.ts';
import { checkSize, contentHash, decodeAsset, hashOf, parseAsset, type ParsedAsset } from '../assets/markdown.ts';
import { checkArguments, KnowledgeError } from '../errors.ts';
import { checkContent } from '../stores/draft.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { IMPORTS_KEY, Rows } from '../stores/rows.ts';
import { findFiles, findProjectFiles, type FoundFiles, type ImportFile, type ImportProblem } from './find-files.ts';
import { readImport, type ImportFields } from './read-file.ts';

export interface ImportOptions extends CallOptions, ImportFields {
  readonly store: LocalStore;
}

/** Each list is in the order of the import. Files are imported by name: a directory's files first, then its subdirectories. */
export interface ImportResult {
  readonly added: readonly Asset[];
  /** Assets of files that changed since their import. */
  readonly updated: readonly Asset[];
  /** The files that were imported before, or that an asset has the text of. */
  readonly present: readonly string[];
  /** Links, which are not followed. */
  readonly links: readonly string[];
  readonly problems: readonly ImportProblem[];
}

/** The state of an imported file. The id of its row is the hash of its path. */
interface Imported {
  readonly file: string;
  readonly id: string;
  readonly asset: string;
}

function parseImported(record: string | undefined): Imported | undefined {
  try {
    return record === undefined ? undefined : (JSON.parse(record) as Imported);
  } catch {
    return undefined;
  }
}

/** A file whose asset is new, and can be added together with others. */
interface NewFile {
  readonly file: ImportFile;
  readonly hash: string;
  readonly parsed: ParsedAsset;
}

/**
 * The files that are read at once, and whose assets are written in one step, which writes the postings of each word once and waits for
 * the disk. Large ones are fewer.
 */
const BATCH = 200;
const BATCH_BYTES: number = 8 * 1024 * 1024;

/** Divides files into batches. */
function* batchesOf(files: readonly ImportFile[]): Generator<readonly ImportFile[]> {
  let batch: ImportFile[] = [];
  let bytes = 0;
  for (const file of files) {
    batch.push(file);
    bytes += file.bytes;
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function originOf({ path }: Pick<ImportFile, 'path'>): Asset['origin'] {
  return { kind: 'import', source: path };
}

class Importer {
  readonly added: Asset[] = [];
  readonly updated: Asset[] = [];
  readonly present: string[] = [];
  readonly problems: ImportProblem[] = [];
  readonly #store: LocalStore;
  readonly #imports: Rows;
  readonly #options: ImportOptions;

  constructor(options: ImportOptions) {
    this.#store = options.store;
    this.#imports = new Rows(options.store.backend, IMPORTS_KEY);
    this.#options = options;
  }

  /** Imports files in their order. Neighbours that are new are written together: each step waits for the disk. */
  async importAll(files: readonly ImportFile[]): Promise<void> {
    const { signal } = this.#options;
    const waiting: NewFile[] = [];
    for (const batch of batchesOf(files)) {
      const rows = await this.#imports.read(
        batch.map(({ path }) => hashOf(path)),
        { signal },
      );
      for (const [index, file] of batch.entries()) {
        signal?.throwIfAborted();
        const isKnown = rows[index] !== undefined;
        await this.#guard(file, () => this.#take(file, { isKnown, waiting }), waiting);
      }
      await this.#addAll(waiting.splice(0));
    }
  }

  async #take(
    file: ImportFile,
    { isKnown, waiting }: { readonly isKnown: boolean; readonly waiting: NewFile[] },
  ): Promise<void> {
    const { text, hash } = await this.#read(file);
    const parsed = isKnown ? undefined : readImport(text, file, this.#options);
    if (parsed === undefined) {
      await this.#addAll(waiting.splice(0));
      await this.#import(file, { text, hash });
      return;
    }
    checkContent(parsed, { path: file.path, isChecked: true });
    waiting.push({ file, hash, parsed });
  }

  /** Runs the import of a file. A problem of this file alone does not end the others. */
  async #guard(file: ImportFile, run: () => Promise<void>, waiting: NewFile[] = []): Promise<void> {
    const { path } = file;
    try {
      await run();
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      // The others are imported. A store that fails would fail for each of them.
      const isOfFile =
        KnowledgeError.isInstance(error) ||
        (!CairnError.isInstance(error) && error instanceof Error && 'code' in error);
      if (!isOfFile) throw error;
      await this.#addAll(waiting.splice(0));
      const line = KnowledgeError.isInstance(error) ? error.line : undefined;
      this.problems.push({ path, line, code: String(error.code), message: error.message });
    }
  }

  async #read({ path, bytes }: ImportFile): Promise<{ readonly text: string; readonly hash: string }> {
    checkSize(bytes, { path });
    const text = decodeAsset(await readFile(path, { signal: this.#options.signal }), { path });
    return { text, hash: hashOf(text) };
  }

  /** Adds the assets of new files in one step. When that is not possible, it finds out for which: halves are tried apart. */
  async #addAll(files: readonly NewFile[]): Promise<void> {
    const [first] = files;
    if (first === undefined) return;
    if (files.length === 1) {
      await this.#guard(first.file, () => this.#add(first.file.path, first.parsed, first.hash));
      return;
    }
    const { signal } = this.#options;
    const drafts = files.map(({ file, parsed }) => ({ parsed, origin: originOf(file) }));
    const assets = await this.#store.addAll(drafts, { signal });
    if (assets === undefined) {
      const middle = files.length >> 1;
      await this.#addAll(files.slice(0, middle));
      await this.#addAll(files.slice(middle));
      return;
    }
    this.added.push(...assets);
    const rows = files.map(({ file, hash }, index) => {
      const { id = '', hash: asset = '' } = assets[index] ?? {};
      const imported: Imported = { file: hash, id, asset };
      return { id: hashOf(file.path), expected: undefined, next: JSON.stringify(imported) };
    });
    if ((await this.#imports.change(rows, {})).isDone) return;
    // Another process imports the same files.
    for (const [index, { file, hash }] of files.entries()) {
      const asset = assets[index];
      if (asset !== undefined) await this.#remember(file.path, hash, asset);
    }
  }

  async #import(file: ImportFile, { text, hash }: { readonly text: string; readonly hash: string }): Promise<void> {
    const { path } = file;
    const { signal } = this.#options;
    const [row] = await this.#imports.read([hashOf(path)], { signal });
    const known = parseImported(row?.text);
    const parsed = known?.file === hash ? undefined : readImport(text, file, this.#options);
    if (parsed === undefined) {
      this.present.push(path);
      return;
    }
    const before = known && (await this.#store.get(known.id));
    if (before?.origin.kind !== 'import') {
      await this.#add(path, parsed, hash);
      return;
    }
    const own = parseAsset(before.text);
    if (contentHash(own.body) === contentHash(parsed.body) && isDeepStrictEqual(own.fields, parsed.fields)) {
      // It was settled by hand.
      this.present.push(path);
      await this.#remember(path, hash, before);
    } else if (before.hash === known?.asset) {
      const asset = await this.#store.change(before.id, { text: parsed.text }, { expected: before.hash, signal });
      this.updated.push(asset);
      await this.#remember(path, hash, asset);
    } else {
      const message = `${path} changed since its import, and so did ${before.id}; change one of them until both say the same`;
      this.problems.push({ path, code: 'EDITED', message });
    }
  }

  async #add(path: string, { text, body }: ParsedAsset, hash: string): Promise<void> {
    const { signal } = this.#options;
    try {
      const asset = await this.#store.add({ text, path }, { origin: originOf({ path }), signal });
      this.added.push(asset);
      await this.#remember(path, hash, asset);
    } catch (error) {
      const [id = ''] = KnowledgeError.isInstance(error) && error.code === 'ASSET_EXISTS' ? (error.assets ?? []) : [];
      const other = id === '' ? undefined : await this.#store.get(id);
      if (other === undefined || contentHash(other.body) !== contentHash(body)) throw error;
      this.present.push(path);
      await this.#remember(path, hash, other);
    }
  }

  /** When another process is first, or this one is killed, the next import finds the text in the store. */
  async #remember(path: string, file: string, { id, hash: asset }: Asset): Promise<void> {
    const imported: Imported = { file, id, asset };
    const rowId = hashOf(path);
    const [row] = await this.#imports.read([rowId], {});
    await this.#imports.change([{ id: rowId, expected: row?.text, next: JSON.stringify(imported) }], {});
  }
}

async function importAll({ files, links, unreadable }: FoundFiles, options: ImportOptions): Promise<ImportResult> {
  const importer = new Importer(options);
  await importer.importAll(files);
  const { added, updated, present, problems } = importer;
  return { added, updated, present, links, problems: [...unreadable, ...problems] };
}

const importOptions: OptionNames<ImportOptions> = {
  store: 'required',
  signal: 'optional',
  type: 'optional',
  productLine: 'optional',
};

/**
 * Imports a Markdown file, or those below a directory, once each: a file is imported again only when it changed, and its asset is
 * changed only when no one else changed it.
 *
 * @throws {KnowledgeError} `INVALID_INPUT`, `TOO_LARGE`; what concerns one file is in `problems`.
 */
export async function importFiles(path: string, options: ImportOptions): Promise<ImportResult> {
  checkArguments.options('importFiles', options, importOptions);
  return importAll(await findFiles(path, options), options);
}

/** Imports AGENTS.md, CLAUDE.md and the rules of Cursor of a project, like {@link importFiles}. */
export async function importProject(directory: string, options: ImportOptions): Promise<ImportResult> {
  checkArguments.options('importProject', options, importOptions);
  return importAll(await findProjectFiles(directory, options), options);
}
