/**
 * The daily backups of a file: which there are, when the next one is due, and which are removed. They are in a directory next to the
 * file, and named by their time.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { MemoryError } from '../errors.ts';
import { identityToKeep, readOwn, regularFile, writeOwn } from './sqlite-file.ts';

const DAY_MS = 86_400_000;
/** The number of backups that are kept. */
const MAX_BACKUPS = 7;
/** The bytes of all backups of a file. The newest one is kept, whatever its size. */
const MAX_BYTES: number = 2 * 1024 ** 3;
/** How long backups may keep forgotten text, after the day on which it was forgotten. */
const FORGOTTEN_MS: number = 7 * DAY_MS;

/** A verified copy of a file, or a file that a restored backup replaced. */
export interface BackupFile {
  /** Its time, such as `2026-11-28T16-26-19Z`; a replaced file has `-replaced` after it. */
  readonly name: string;
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly bytes: number;
  /** Whether it is what a restored backup replaced, which may be damaged. */
  readonly isReplaced: boolean;
}

/** Returns the directory of the backups of a file. */
export function backupDirectory(store: string): string {
  return `${store}${DIRECTORY_SUFFIX}`;
}

const NAME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\dZ)(-replaced)?$/u;
const SUFFIX = '.db';
const DIRECTORY_SUFFIX = '-backups';
/** Files that SQLite or a backup in progress has next to a backup. */
const OTHERS = ['-wal', '-shm', '-journal'];

export function backupName(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/** Returns whether a text has the form of a backup's name. */
function isBackupName(text: string): boolean {
  return NAME.test(text);
}

/** Whether the backups are in a directory. A symbolic link to one may have come with a cloned repository, and is not followed. */
export function hasBackupDirectory(store: string): boolean {
  return lstatSync(backupDirectory(store), { throwIfNoEntry: false })?.isDirectory() === true;
}

function filesOf(store: string): string[] {
  try {
    return hasBackupDirectory(store) ? readdirSync(backupDirectory(store)) : [];
  } catch {
    return [];
  }
}

/** Returns whether a store is itself a backup, which has no reserve and no backups. */
export function isBackup(store: string): boolean {
  return dirname(store).endsWith(DIRECTORY_SUFFIX) && isBackupName(basename(store, SUFFIX));
}

/** Returns the backups of a file, newest first. */
export function listBackups(store: string): BackupFile[] {
  const directory = backupDirectory(store);
  const found = filesOf(store).flatMap((file): BackupFile[] => {
    const name = file.slice(0, -SUFFIX.length);
    const time = Date.parse(name.replace(NAME, '$1$2:$3:$4'));
    const path = join(directory, file);
    const stats = regularFile(path);
    if (!file.endsWith(SUFFIX) || !isBackupName(name) || Number.isNaN(time) || stats === undefined) return [];
    return [{ name, path, time, bytes: stats.size, isReplaced: name.endsWith('-replaced') }];
  });
  return found.toSorted((a, b) => b.time - a.time);
}

function verifiedBackups(store: string): BackupFile[] {
  return listBackups(store).filter(({ isReplaced }) => !isReplaced);
}

function isLeftover(file: string): boolean {
  return /\.tmp(?:-\w+)?$/u.test(file);
}

/** Removes what a process that was killed left of a copy. Only for the process that has the lock of the backups. */
export function removeLeftovers(store: string): void {
  for (const file of filesOf(store).filter(isLeftover)) remove(join(backupDirectory(store), file));
}

function remove(path: string): void {
  // The removal of a symbolic link removes only the link. Of a directory, nothing is known.
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) rmSync(path, { force: true });
}

/** Facts about a store that decide which of its backups are kept. */
export interface BackupState {
  /** When the store was created. */
  readonly createdMs: number;
  /** When text was forgotten: the last time of each day. */
  readonly forgotten: readonly number[];
}

/**
 * Returns the state of the backups.
 *
 * @param state the row of the store; `undefined` for one that cannot be read.
 */
export function backupStateOf(store: string, state: Readonly<Record<string, unknown>> | undefined): BackupState {
  return { createdMs: Number(state?.['created_ms'] ?? NaN), forgotten: forgottenTimes(store, state?.['forgotten']) };
}

/** A copy of the times at which text was forgotten: a store may be damaged, or be replaced by one that does not know them. */
function forgottenFile(store: string): string {
  return join(backupDirectory(store), 'forgotten.json');
}

/** Returns the times at which text was forgotten, by the store and by the copy next to its backups. */
function forgottenTimes(store: string, text: unknown): number[] {
  const copied = hasBackupDirectory(store) ? readOwn(forgottenFile(store)) : undefined;
  return [...new Set([...parseTimes(text), ...parseTimes(copied)])].toSorted((a, b) => a - b);
}

function parseTimes(text: unknown): number[] {
  const times = parseJson(text);
  return Array.isArray(times) ? times.filter((time) => Number.isSafeInteger(time)) : [];
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

/** Copies the times at which text was forgotten to the backups that may have it. */
export function keepForgotten(store: string, times: readonly number[]): void {
  if (!hasBackupDirectory(store)) return;
  try {
    writeOwn(forgottenFile(store), JSON.stringify(times));
  } catch {
    // The disk is full. The store has the times, too.
  }
}

/** Adds a time at which text was forgotten. Times are left out when no backup from before them is left. @returns the text for the store. */
export function addForgotten(store: string, text: unknown, nowMs: number): string {
  // A backup that was made while the clock was ahead has the text, too.
  const time = Math.max(nowMs, ...listBackups(store).map((backup) => backup.time));
  const others = keptTimes(store, forgottenTimes(store, text)).filter((one) => dayOf(one) !== dayOf(time));
  keepForgotten(store, [...others, time]);
  return JSON.stringify([...others, time]);
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS);
}

/** Returns until when backups may keep text that was forgotten at a time: the next use of the store after it removes them. */
function untilOf(forgottenMs: number): number {
  return (dayOf(forgottenMs) + 1) * DAY_MS + FORGOTTEN_MS;
}

/** Returns the times at which text was forgotten that a backup may have. */
function keptTimes(store: string, forgotten: readonly number[]): number[] {
  // A backup in progress gets a name with the time of its beginning, and one that was killed left its copy.
  const hasCopy = filesOf(store).some(isLeftover);
  const backups = listBackups(store);
  return forgotten.filter((time) => hasCopy || backups.some((backup) => backup.time <= time));
}

/** Returns until when a backup may keep forgotten text; `undefined` when there is none. */
export function keptUntil(store: string, { forgotten }: Pick<BackupState, 'forgotten'>): number | undefined {
  const kept = keptTimes(store, forgotten);
  return kept.length === 0 ? undefined : untilOf(Math.max(...kept));
}

/** Returns the time up to which backups have text that must be gone by now. */
function expiredAt({ forgotten }: BackupState, nowMs: number): number {
  return Math.max(-Infinity, ...forgotten.filter((time) => nowMs >= untilOf(time)));
}

/** Returns whether backups have text that must be gone by now. */
function hasExpired(store: string, state: BackupState, nowMs: number): boolean {
  const limit = expiredAt(state, nowMs);
  if (limit === -Infinity) return false;
  return listBackups(store).some(({ time }) => time <= limit) || filesOf(store).some(isLeftover);
}

/** Returns whether a store changed after its newest backup was made. */
function hasChanged(store: string, newest: BackupFile | undefined): boolean {
  if (newest === undefined) return true;
  const madeMs = statSync(newest.path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const log = statSync(`${store}-wal`, { throwIfNoEntry: false });
  const file = statSync(store, { throwIfNoEntry: false });
  return Math.max(file?.mtimeMs ?? 0, log === undefined || log.size === 0 ? 0 : log.mtimeMs) > madeMs;
}

/** Returns whether a backup is due: a day after the last one if the store changed, or because older ones must go. */
export function isBackupDue(store: string, state: BackupState, nowMs: number): boolean {
  if (hasExpired(store, state, nowMs)) return true;
  if ((damageNote(store)?.ageMs ?? Infinity) < DAY_MS) return false;
  const [newest] = verifiedBackups(store);
  const sinceMs = Math.abs(nowMs - (newest?.time ?? state.createdMs));
  return sinceMs >= DAY_MS && hasChanged(store, newest);
}

/**
 * Removes backups: those with text that must be gone, the oldest of too many, and the oldest of too many bytes. Without text that must
 * be gone, the newest one is kept. A replaced file is kept for a week.
 *
 * @param options `isBefore`: whether the next backup is not made yet, so that the newest one is kept in any case.
 */
export function removeOldBackups(
  store: string,
  state: BackupState,
  { nowMs, isBefore = false }: { readonly nowMs: number; readonly isBefore?: boolean },
): void {
  const limit = expiredAt(state, nowMs);
  const all = listBackups(store);
  let bytes = 0;
  const verified = all.filter(({ isReplaced }) => !isReplaced);
  const kept = verified.filter((backup, index) => {
    bytes += backup.bytes;
    if (index === 0) return isBefore || backup.time > limit;
    return index < MAX_BACKUPS && bytes <= MAX_BYTES && backup.time > limit;
  });
  const removed = all.filter((backup) =>
    backup.isReplaced ? backup.time <= limit || nowMs - backup.time > FORGOTTEN_MS : !kept.includes(backup),
  );
  for (const { path } of removed) for (const suffix of ['', ...OTHERS]) remove(`${path}${suffix}`);
}

/** Creates the directory of the backups, closed to others. @throws {MemoryError} `STORE_FAILED` when it is something else. */
export function makeBackupDirectory(store: string): string {
  const directory = backupDirectory(store);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (lstatSync(directory, { throwIfNoEntry: false }) === undefined) throw error;
  }
  if (!hasBackupDirectory(store)) throw noDirectory(store);
  if (process.platform !== 'win32') chmodSync(directory, 0o700);
  return directory;
}

function noDirectory(store: string): MemoryError {
  const path = backupDirectory(store);
  const summary = `[memory:sqlite] ${path} is a file or a symbolic link, which is not followed`;
  return new MemoryError('STORE_FAILED', [summary, 'Move it away: backups are in a directory with this name.'], {
    path,
  });
}

/** Where the damage that a backup found is noted, so that the next opening reports it without reading everything. */
function damageFile(store: string): string {
  return join(backupDirectory(store), 'damage.json');
}

/** Notes whether a store is damaged. The note is about the file that is there now, and not about one that replaces it. */
export function noteDamage(store: string, isDamaged: boolean): void {
  try {
    if (!isDamaged) {
      if (hasBackupDirectory(store)) remove(damageFile(store));
      return;
    }
    makeBackupDirectory(store);
    writeOwn(damageFile(store), JSON.stringify({ file: identityToKeep(store), at: Date.now() }));
  } catch {
    // The note spares the next process a search. The damage itself was reported.
  }
}

/** Returns the damage that was noted for the file that is there now. No text of the note is passed on. */
export function damageNote(store: string): { readonly problem: string; readonly ageMs: number } | undefined {
  const note = hasBackupDirectory(store) ? parseJson(readOwn(damageFile(store))) : undefined;
  if (typeof note !== 'object' || note === null || !('file' in note) || !('at' in note)) return undefined;
  const { file, at } = note;
  if (file !== identityToKeep(store) || typeof at !== 'number' || Number.isNaN(new Date(at).getTime()))
    return undefined;
  const day = new Date(at).toISOString().slice(0, 10);
  return { problem: `the check for its backup found damage on ${day}`, ageMs: Math.abs(Date.now() - at) };
}
