import { isMissing } from '@cairn/tool/kernel';
import { errnoOf } from '@cairn/tool/internal';
import { ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { basename } from 'node:path';
import type { FileOperations } from '../files/operations.ts';
import type { Change, ChangeTools } from './change.ts';
import { kindOf, revert } from './make-change.ts';
import { expects, type Expectation } from './mark.ts';
import type { Changes, PathChange } from './changes.ts';
import { DamagedJournal, journalKind, readJournal, type JournalContent } from './journal.ts';
import type { Locks } from './locks.ts';
import type { StateDirectory } from './state-directory.ts';
import { isTemporary, isThere, removeAll, removeFile } from './temporary.ts';

interface Outcome {
  readonly isFinished: boolean;
  readonly changed: readonly PathChange[];
  readonly kept: readonly string[];
  readonly rescued: readonly string[];
}

/** Recovery at the start must not delay the first answer for long, however many journals have their locks held. */
const MAX_WAIT_MS = 2000;

function announced(change: Change): PathChange[] {
  const { kind, path } = change;
  if (kind === 'delete') return [{ kind, path }];
  if (kind === 'replace' && change.isSource) return [{ kind: 'rename', from: change.temporary, to: path }];
  if (kind === 'replace' || kind === 'overwrite') return [{ kind: 'write', path, isNew: false }];
  const directories = change.directories.map((one): PathChange => ({ kind: 'create-directory', path: one }));
  const arrived: PathChange = kind === 'move' ? { kind: 'rename', from: path, to: change.to } : { kind: 'write', path };
  return [...directories, arrived];
}

function announcedUndo(change: Change): PathChange[] {
  if (change.kind === 'create') return [{ kind: 'delete', path: change.path }];
  if (change.kind === 'move') return [{ kind: 'rename', from: change.to, to: change.path }];
  return [{ kind: 'write', path: change.path, isNew: false }];
}

/** Does what a journal demands. It can be interrupted at any moment and repeated. */
async function recoverCommit(operations: FileOperations, content: JournalContent): Promise<Outcome> {
  const { state, changes, temporaries } = content;
  const tools: ChangeTools = { operations, rescued: [] };
  const changed: PathChange[] = [];
  const progress = new Map<Change, string>();
  if (state === 'C' || state === 'U') {
    for (const change of changes) progress.set(change, await kindOf(change).inspect(tools, change));
  }
  const kept = changes.filter((change) => progress.get(change) === 'conflict').map(({ path }) => path);
  const isFinished = state === 'D' || (state === 'C' && kept.length === 0);
  if (state === 'C' && isFinished) {
    for (const change of changes) {
      const kind = kindOf(change);
      if ((await kind.inspect(tools, change)) !== 'unapplied') continue;
      if (!(await kind.apply(tools, change, expectationOf(operations, change)))) kept.push(change.path);
    }
  } else if (!isFinished) {
    for (const change of changes.toReversed()) {
      if (progress.get(change) === 'conflict') continue;
      const wasApplied = progress.get(change) === 'applied';
      if (!(await revert(tools, change))) kept.push(change.path);
      else if (wasApplied) changed.push(...announcedUndo(change));
    }
  }
  // The process that was killed could not announce what it had done.
  if (isFinished) changed.push(...changes.filter(({ path }) => !kept.includes(path)).flatMap(announced));
  for (const change of changes) await kindOf(change).clean(operations, change, isFinished);
  for (const path of temporaries) if (isTemporary(path)) await removeAll(operations, path);
  return { isFinished, changed, kept: [...new Set(kept)], rescued: tools.rescued };
}

/** A file that was half written over does not hold its old content; `inspect` has checked each byte. */
function expectationOf(operations: FileOperations, change: Change): Expectation {
  if (change.kind === 'create' || change.kind === 'overwrite') return async () => true;
  return expects(operations, change.kind === 'move' ? { inode: change.before.inode } : change.before);
}

function noticeOf({ paths }: JournalContent, { isFinished, kept, rescued }: Outcome): string {
  const done = paths.filter((path) => !kept.includes(path));
  const parts: readonly (readonly [paths: readonly string[], what: string, next?: string])[] = [
    [done, `${isFinished ? 'Finished' : 'Undid'} a change that was interrupted`],
    [kept, 'Kept what was written since an interrupted change', ' Read it before you continue.'],
    [rescued, 'Kept a version that was replaced meanwhile'],
  ];
  return parts
    .filter(([listed]) => listed.length > 0)
    .map(([listed, what, next = '']) => `${what}: ${listed.map((path) => quotePath(path)).join(', ')}.${next}`)
    .join(' ');
}

interface RecoveryContext {
  readonly operations: FileOperations;
  readonly state: StateDirectory;
  readonly locks: Locks;
  readonly changes: Changes;
}

function isLocked(error: unknown): boolean {
  return ToolError.isInstance(error) && error.code === 'LOCKED';
}

/** Finishes or undoes the commits of processes that were killed. */
export class Recovery {
  readonly #context: RecoveryContext;
  /** Journals that cannot be recovered: reported once, and never in the way. */
  readonly #givenUp = new Set<string>();
  #notices: string[] = [];
  /** What the journals of others have locked, which never changes: other trees may have left thousands of journals. */
  #locks: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(context: RecoveryContext) {
    this.#context = context;
  }

  /**
   * Recovers the journals with a path that `concerns` accepts. Leaves those whose locks are held: their commits are running.
   * Never rejects: what goes wrong becomes a notice.
   */
  async recoverAll(concerns: (path: string) => boolean): Promise<void> {
    try {
      const { operations, state } = this.#context;
      for (const path of await state.list()) {
        if (journalKind(basename(path)) === 'new') await removeFile(operations, path);
      }
      const end = performance.now() + MAX_WAIT_MS;
      for (const journal of await this.#list()) {
        if (!(await this.#read(journal))?.paths.some(concerns)) continue;
        try {
          await this.recover([journal], Math.max(0, end - performance.now()));
        } catch (error) {
          // Its commit is running.
          if (!isLocked(error)) throw error;
        }
      }
    } catch (error) {
      // The next change reports it: without its state directory a workspace can only read.
      if (!ToolError.isInstance(error) && errnoOf(error) === undefined) throw error;
    }
  }

  /**
   * Returns the journals of commits that had locked one of these places. The caller holds the locks, so those commits are over.
   */
  async leftIn(places: readonly string[]): Promise<readonly string[]> {
    const known = new Map<string, readonly string[]>();
    for (const journal of await this.#list()) {
      const locks = this.#locks.get(journal) ?? (await this.#read(journal))?.locks;
      if (locks) known.set(journal, locks);
    }
    this.#locks = known;
    return [...known].filter(([, locks]) => locks.some((lock) => places.includes(lock))).map(([journal]) => journal);
  }

  /** Recovers the journals. The caller holds no locks. @throws {ToolError} `LOCKED`. */
  async recover(journals: readonly string[], timeoutMs: number = MAX_WAIT_MS): Promise<void> {
    for (const journal of journals) {
      try {
        await this.#recoverOne(journal, timeoutMs);
      } catch (error) {
        if (isLocked(error)) throw error;
        const why = error instanceof Error ? error.message : String(error);
        this.#giveUp(journal, `cannot be recovered (${why}); check its files`);
      }
    }
  }

  /** Returns the work of recovery since the last call, for the next answer to the user. */
  takeNotices(): readonly string[] {
    const notices = this.#notices;
    this.#notices = [];
    return notices;
  }

  async #list(): Promise<string[]> {
    const paths = await this.#context.state.list();
    return paths.filter((path) => journalKind(basename(path)) === 'journal' && !this.#givenUp.has(path));
  }

  #giveUp(journal: string, why: string): void {
    this.#givenUp.add(journal);
    this.#notices.push(`The journal ${quotePath(journal)} of an interrupted change ${why}, then delete it.`);
  }

  async #read(journal: string): Promise<JournalContent | undefined> {
    try {
      return await readJournal(this.#context.operations, journal);
    } catch (error) {
      if (isMissing(error)) return undefined;
      const why = error instanceof DamagedJournal ? error.message : `it cannot be read (${errnoOf(error) ?? 'error'})`;
      this.#giveUp(journal, `is not understood: ${why}. Check for unfinished changes and files named .cairn-*.tmp`);
      return undefined;
    }
  }

  async #recoverOne(journal: string, timeoutMs: number): Promise<void> {
    const { operations, locks, changes } = this.#context;
    const first = await this.#read(journal);
    if (first === undefined) return;
    const places: string[] = [];
    for (const place of first.locks) if (await isThere(operations, place)) places.push(place);
    await locks.hold(places, { timeoutMs }, async () => {
      // The commit may have ended meanwhile, or another process may have recovered it.
      const content = await this.#read(journal);
      if (content === undefined) return;
      const outcome = await recoverCommit(operations, content);
      await operations.unlink(journal);
      changes.invalidate(content.temporaries.map((path) => ({ kind: 'delete', path })));
      changes.announce(outcome.changed);
      this.#notices.push(noticeOf(content, outcome));
    });
  }
}
