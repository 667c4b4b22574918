import { errnoOf } from '@cairn/tool/internal';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { hashOf } from '../files/content-hash.ts';
import { readBytes, withFile, type FileOperations, type OpenFile } from '../files/operations.ts';
import type { Change } from './change.ts';
import { removeFile } from './temporary.ts';

/**
 * How far a commit is. It is one byte of the journal, so it changes in one step.
 *
 * - `P`, preparing: only temporary files exist; they are removed.
 * - `C`, committing: the changes are finished.
 * - `U`, undoing: the changes are undone.
 * - `D`, done: what is left of the changes is removed.
 */
type JournalState = 'P' | 'C' | 'U' | 'D';

export interface JournalHeader {
  readonly paths: readonly string[];
  /** The directories and files that the commit has locked, in order. */
  readonly locks: readonly string[];
  readonly temporaries: readonly string[];
}

export interface JournalContent extends JournalHeader {
  readonly state: JournalState;
  readonly changes: readonly Change[];
}

const VERSION = 'cairn journal 1';

function lineOf(value: object): Buffer {
  const json = JSON.stringify(value);
  return Buffer.from(`${hashOf(Buffer.from(json))} ${json}\n`);
}

function valueOf(line: string | undefined): unknown {
  const json = line?.slice(41) ?? '';
  return line !== undefined && line.slice(0, 40) === hashOf(Buffer.from(json)) ? JSON.parse(json) : undefined;
}

/** The journal of one running commit. It must not be removed before the commit is over, and not kept after. */
export interface Journal {
  /** Writes down the changes. They may begin when it settles. */
  begin(changes: readonly Change[], isDurable: boolean): Promise<void>;
  turn(state: JournalState): Promise<void>;
  remove(): Promise<void>;
  close(): Promise<void>;
}

/** The kind of a file in a state directory: a journal, or one that was never finished. Its owner makes another when it is removed. */
export function journalKind(name: string): 'journal' | 'new' | undefined {
  const [, kind] = /^[\da-f]{16}\.(journal|new)$/u.exec(name) ?? [];
  return kind === 'journal' || kind === 'new' ? kind : undefined;
}

/** Creates a journal in a directory. It gets its name when it is whole, so no process sees a part of it. */
export async function createJournal(
  operations: FileOperations,
  directory: string,
  header: JournalHeader,
): Promise<Journal> {
  const first = Buffer.concat([Buffer.from('P'), lineOf({ version: VERSION, ...header })]);
  const { file, path } = await createFile(operations, directory, first);
  let isDurable = false;
  const put = async (text: Buffer, at: number): Promise<void> => {
    await file.write(text, at);
    if (isDurable) await file.sync();
  };
  return {
    begin: async (changes, durable) => {
      isDurable = durable;
      await put(lineOf(changes), first.length);
      if (durable) await operations.syncDirectory(directory);
      await put(Buffer.from('C'), 0);
    },
    turn: (state) => put(Buffer.from(state), 0),
    remove: async () => {
      await Promise.all([file.close(), operations.unlink(path)]);
    },
    close: () => file.close(),
  };
}

async function createFile(
  operations: FileOperations,
  directory: string,
  content: Buffer,
): Promise<{ readonly file: OpenFile; readonly path: string }> {
  const name = join(directory, randomBytes(8).toString('hex'));
  const file = await operations.open(`${name}.new`, 'create', 0o600);
  try {
    await file.write(content, 0);
    await operations.rename(`${name}.new`, `${name}.journal`);
    return { file, path: `${name}.journal` };
  } catch (error) {
    await file.close();
    // Another process, which has just started, took it for the rest of a killed one.
    if (errnoOf(error) === 'ENOENT') return createFile(operations, directory, content);
    await removeFile(operations, `${name}.new`);
    throw error;
  }
}

/** A journal that cannot be read: damaged, or of another version. */
export class DamagedJournal extends Error {}

/** @throws {DamagedJournal} */
export async function readJournal(operations: FileOperations, path: string): Promise<JournalContent> {
  const bytes = await withFile(operations, path, 'read', readBytes);
  const [first = '', second] = bytes.toString().split('\n');
  const state = first.slice(0, 1);
  const header = valueOf(first.slice(1));
  if (!isHeader(header)) throw new DamagedJournal('its first line is damaged, or of another version of Cairn');
  if (state === 'P') return { ...header, state, changes: [] };
  const changes = valueOf(second);
  if (!/^[CUD]$/u.test(state) || !Array.isArray(changes)) throw new DamagedJournal('it is damaged');
  // The hash covers what this program wrote.
  return { ...header, state: state as JournalState, changes: changes as Change[] };
}

function isHeader(value: unknown): value is JournalHeader {
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'version') !== VERSION) return false;
  return ['paths', 'locks', 'temporaries'].every((key) => Array.isArray(Reflect.get(value, key)));
}
