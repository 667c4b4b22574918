/**
 * The daily backups of a file: which there are, when the next one is due, and which are removed. They are in a directory next to the
 * file, and named by their time.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
  return `${store}-backups`;
}

const NAME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\dZ)(-replaced)?$/u;
const SUFFIX = '.db';
/** Files that SQLite or a backup in progress has next to a backup. */
const OTHERS = ['-wal', '-shm', '-journal'];

export function backupName(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/** Returns whether a text has the form of a backup's name. */
function isBackupName(text: string): boolean {
  return NAME.test(text);
}

function filesOf(store: string): string[] {
  try {
    return readdirSync(backupDirectory(store));
  } catch {
    return [];
  }
}

/** Returns the backups of a file, newest first. */
export function listBackups(store: string): BackupFile[] {
  const directory = backupDirectory(store);
  const found = filesOf(store).flatMap((file): BackupFile[] => {
    const name = file.slice(0, -SUFFIX.length);
    const time = Date.parse(name.replace(NAME, '$1$2:$3:$4'));
    const path = join(directory, file);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!file.endsWith(SUFFIX) || !isBackupName(name) || Number.isNaN(time) || stats === undefined) return [];
    return [{ name, path, time, bytes: stats.size, isReplaced: name.endsWith('-replaced') }];
  });
  return found.toSorted((a, b) => b.time - a.time);
}

function verifiedBackups(store: string): BackupFile[] {
  return listBackups(store).filter(({ isReplaced }) => !isReplaced);
}

/** Removes what a process that was killed left of a backup. Only for the process that makes the backups. */
export function removeLeftovers(store: string): void {
  for (const file of filesOf(store)) {
    if (/\.tmp(?:-\w+)?$/u.test(file)) rmSync(join(backupDirectory(store), file), { force: true });
  }
}

/** What a store says about its backups. */
export interface BackupState {
  /** When the store was created. */
  readonly createdMs: number;
  /** When text was forgotten: the last time of each day. */
  readonly forgotten: readonly number[];
}

export function backupStateOf(state: Readonly<Record<string, unknown>>): BackupState {
  return { createdMs: Number(state['created_ms']), forgotten: parseTimes(state['forgotten']) };
}

function parseTimes(text: unknown): number[] {
  return (JSON.parse(String(text)) as unknown[]).filter((time) => typeof time === 'number');
}

/** Adds a time at which text was forgotten. Times whose backups are gone are left out. */
export function withForgotten(text: unknown, nowMs: number): string {
  const others = parseTimes(text).filter((time) => dayOf(time) !== dayOf(nowMs) && untilOf(time) + DAY_MS > nowMs);
  return JSON.stringify([...others, nowMs]);
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS);
}

/** Returns until when backups may keep text that was forgotten at a time: the next use of the store after it removes them. */
function untilOf(forgottenMs: number): number {
  return (dayOf(forgottenMs) + 1) * DAY_MS + FORGOTTEN_MS;
}

/** Returns until when a backup may keep forgotten text; `undefined` when there is none. */
export function keptUntil(store: string, { forgotten }: Pick<BackupState, 'forgotten'>): number | undefined {
  // A backup in progress gets a name with the time of its beginning.
  const isRunning = filesOf(store).some((file) => file.endsWith('.tmp'));
  const backups = listBackups(store);
  const kept = forgotten.filter((time) => isRunning || backups.some((backup) => backup.time <= time));
  return kept.length === 0 ? undefined : untilOf(Math.max(...kept));
}

/** Returns the time up to which backups have text that must be gone by now. */
function expiredAt({ forgotten }: BackupState, nowMs: number): number {
  return Math.max(-Infinity, ...forgotten.filter((time) => nowMs >= untilOf(time)));
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
  if ((damageNote(store)?.ageMs ?? Infinity) < DAY_MS) return false;
  const [newest] = verifiedBackups(store);
  const sinceMs = Math.abs(nowMs - (newest?.time ?? state.createdMs));
  if (sinceMs >= DAY_MS && hasChanged(store, newest)) return true;
  return listBackups(store).some(({ time }) => time <= expiredAt(state, nowMs));
}

/**
 * Removes backups: those with text that must be gone, the oldest of too many, and the oldest of too many bytes. Keeps the newest one.
 * A replaced file is kept for a week.
 */
export function removeOldBackups(store: string, state: BackupState, nowMs: number): void {
  const limit = expiredAt(state, nowMs);
  const all = listBackups(store);
  let bytes = 0;
  const verified = all.filter(({ isReplaced }) => !isReplaced);
  const kept = verified.filter((backup, index) => {
    bytes += backup.bytes;
    return index === 0 || (index < MAX_BACKUPS && bytes <= MAX_BYTES && backup.time > limit);
  });
  const removed = all.filter((backup) =>
    backup.isReplaced ? backup.time <= limit || nowMs - backup.time > FORGOTTEN_MS : !kept.includes(backup),
  );
  for (const { path } of removed) for (const suffix of ['', ...OTHERS]) rmSync(`${path}${suffix}`, { force: true });
}

/** Creates the directory of the backups, closed to others. */
export function makeBackupDirectory(store: string): string {
  const directory = backupDirectory(store);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32') chmodSync(directory, 0o700);
  return directory;
}

/** Where the damage that a backup found is noted, so that the next opening reports it without reading everything. */
function damageFile(store: string): string {
  return join(backupDirectory(store), 'damage.txt');
}

export function noteDamage(store: string, problem: string | undefined): void {
  try {
    if (problem === undefined) rmSync(damageFile(store), { force: true });
    else writeFileSync(join(makeBackupDirectory(store), 'damage.txt'), problem, { mode: 0o600 });
  } catch {
    // The note spares the next process a search. The damage itself was reported.
  }
}

export function damageNote(store: string): { readonly problem: string; readonly ageMs: number } | undefined {
  try {
    const { mtimeMs } = statSync(damageFile(store));
    return { problem: readFileSync(damageFile(store), 'utf8'), ageMs: Math.abs(Date.now() - mtimeMs) };
  } catch {
    return undefined;
  }
}
