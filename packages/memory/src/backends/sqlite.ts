import { homeDirectory } from '@cairn/tool/paths';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type {
  CallOptions,
  Clock,
  KeyInfo,
  MemoryBackend,
  PostingsOfBlock,
  Row,
  TableResult,
} from '../records/backend.ts';
import { checkArguments } from '../errors.ts';
import { blockOf } from '../records/postings.ts';
import { userStorePath } from '../store-path.ts';
import { limitOf, PAGE_BYTES } from './changes.ts';
import { readTime, trustedTime } from './sqlite-clock.ts';
import { listBackups as listFiles, type BackupFile } from './sqlite-backups.ts';
import { SqliteDatabase, type DatabaseOptions } from './sqlite-database.ts';
import { nodeSqlite, type SqliteDriver } from './sqlite-driver.ts';
import { realStorePath } from './sqlite-file.ts';
import type { Restored } from './sqlite-restore.ts';
import { stateOf, type State } from './sqlite-schema.ts';
import type { Statements } from './sqlite-statements.ts';
import { changeTable, COLUMNS, countLabel, dropKey, endOf, findKey, pageOf, rowOf, sweep } from './sqlite-table.ts';

export interface SqliteOptions {
  /** @default the store of the user, see `userStorePath` */
  readonly path?: string | undefined;
  /** How long a call waits while other processes write, in milliseconds. @default 10_000 */
  readonly busyTimeoutMs?: number | undefined;
  /** @default Date.now */
  readonly clock?: Clock | undefined;
  /** Loads SQLite. @default node:sqlite */
  readonly driver?: SqliteDriver | undefined;
  /**
   * Whether a store that changed is backed up once a day, by another process of this Node. The newest 7 backups are kept next to the
   * file, in a directory with `-backups` after its name. @default false
   */
  readonly backups?: boolean | undefined;
  /** Whether nothing is written, not even next to an existing file. A missing file is an error. @default false */
  readonly readOnly?: boolean | undefined;
}

/** Approximate bytes of a row without its text and its postings. */
const ROW_BYTES = 96;
/** The terms of a page, which are read in a few milliseconds. */
const TERMS_PER_PAGE = 2048;
/** SQLite has no Infinity. */
const MAX_LIMIT = 0x7f_ff_ff_ff;
const OF_KEY = '(SELECT id FROM keys WHERE key = ?1)';
const LIVE = '(expires_at IS NULL OR expires_at > ?2)';

class SqliteStore implements MemoryBackend {
  readonly name = 'sqlite';
  readonly path: string;
  readonly #options: DatabaseOptions;
  readonly #database: SqliteDatabase;
  readonly #clock: Clock;

  constructor(options: DatabaseOptions, clock: Clock) {
    this.path = options.path;
    this.#options = options;
    this.#database = new SqliteDatabase(options);
    this.#clock = clock;
  }

  /** Returns a row. Damage of its text is also a notice. */
  #rowOf(fields: Parameters<typeof rowOf>[0]): Row {
    const row = rowOf(fields);
    if (row.isDamaged) this.#database.noteProblem(`the text of the record ${row.id} is not what was written`);
    return row;
  }

  readonly now: MemoryBackend['now'] = async ({ signal, trusted = false } = {}) => {
    signal?.throwIfAborted();
    const nowMs = this.#clock();
    return trusted ? this.#database.read((on) => trustedTime(stateOf(on), nowMs), signal) : nowMs;
  };

  readonly change: MemoryBackend['change'] = async (key, change, call) => {
    const { rows = [], removes, sequence } = change;
    // The rows of a large table are removed in steps.
    const isDropped = removes === 'all' && rows.length === 0 && sequence === undefined;
    const task = (on: Statements, state: State): TableResult | Promise<TableResult> => {
      const time = readTime(on, state, this.#clock());
      if (!isDropped) return changeTable(on, key, change, time);
      return { isDone: true, sequence: 0, rows: [], removed: dropKey(on, key) };
    };
    const isRemoval = rows.every(({ next }) => next === undefined);
    const result = await this.#database.write(task, { isRemoval, signal: call?.signal });
    if (isDropped) await this.#sweep();
    return result;
  };

  /** Removes what is left of removed keys. */
  async #sweep(): Promise<void> {
    try {
      while (await this.#database.write((on) => sweep(on), { isRemoval: true })) await setImmediate();
    } catch {
      // The keys are removed. The next writes remove what is left of their rows.
    }
  }

  readonly rows: MemoryBackend['rows'] = (key, ids, call) => {
    return this.#database.read((on) => {
      const sql = `SELECT ${COLUMNS} FROM entries WHERE key_id = ${OF_KEY} AND ${LIVE} AND`;
      return ids.map((id) => {
        const found = on.get(`${sql} ${typeof id === 'number' ? 'sequence' : 'id'} = ?3`, key, this.#clock(), id);
        return found && this.#rowOf(found);
      });
    }, call?.signal);
  };

  readonly page: MemoryBackend['page'] = (key, query, call) => {
    const limit = limitOf(query, MAX_LIMIT);
    return this.#database.read((on) => {
      const { id: start = 0, sequence = 0, records = 0 } = findKey(on, key) ?? {};
      const label = query.order === 'newest' ? query.label : undefined;
      const count = label === undefined ? records : countLabel(on, start, label);
      const rows: Row[] = [];
      let bytes = 0;
      for (const fields of pageOf(on, start, { ...query, limit: limit + 1, nowMs: this.#clock() })) {
        if (rows.length === limit || bytes >= PAGE_BYTES) return { start, sequence, count, rows, hasMore: true };
        const row = this.#rowOf(fields);
        bytes += row.text.length;
        rows.push(row);
      }
      return { start, sequence, count, rows, hasMore: false };
    }, call?.signal);
  };

  readonly postings: MemoryBackend['postings'] = (key, terms, { after = [], signal } = {}) => {
    return this.#database.read(async (on) => {
      const { id = 0, sequence = 0, removed = 0 } = findKey(on, key) ?? {};
      const sql = 'SELECT block, body FROM postings WHERE key_id = ? AND term = ? AND block >= ? ORDER BY block';
      const postings: PostingsOfBlock[][] = [];
      for (const [index, term] of terms.entries()) {
        const found = on.all(sql, id, term, blockOf(after[index] ?? 0));
        postings.push(found.map(({ block, body }) => ({ block: Number(block), numbers: numbersOf(body) })));
        await setImmediate();
        signal?.throwIfAborted();
      }
      return { sequence, version: `${this.#database.opened}.${id}.${removed}`, postings };
    }, signal);
  };

  readonly terms: MemoryBackend['terms'] = (key, call) => this.#pagesOfTerms(key, call);

  async *#pagesOfTerms(key: string, { signal }: CallOptions = {}): AsyncGenerator<readonly string[]> {
    const sql = `SELECT DISTINCT term FROM postings WHERE key_id = ${OF_KEY} AND term > ?2 ORDER BY term LIMIT ?3`;
    for (let last = ''; ;) {
      const page = await this.#database.read((on) => on.all(sql, key, last, TERMS_PER_PAGE), signal);
      yield page.map(({ term }) => String(term));
      if (page.length < TERMS_PER_PAGE) return;
      last = String(page.at(-1)?.['term']);
    }
  }

  readonly keys: MemoryBackend['keys'] = (prefix, call) => {
    return this.#database.read((on) => {
      const nowMs = this.#clock();
      const rows = 'SELECT 1 FROM entries WHERE key_id = keys.id AND';
      const sql = `SELECT key, records, bytes, EXISTS (${rows} expires_at IS NULL) AS is_endless,
          (SELECT max(expires_at) FROM entries WHERE key_id = keys.id) AS last_ms
        FROM keys WHERE key >= ?1 AND key < ${endOf('?1')} AND is_dropped = 0`;
      return on.all(sql, prefix).flatMap((row): KeyInfo[] => {
        const isEndless = row['is_endless'] === 1;
        const expiresInMs = isEndless ? undefined : Number(row['last_ms']) - nowMs;
        if (expiresInMs !== undefined && expiresInMs <= 0) return [];
        const records = Number(row['records']);
        return [{ key: String(row['key']), records, bytes: Number(row['bytes']) + records * ROW_BYTES, expiresInMs }];
      });
    }, call?.signal);
  };

  readonly erase: MemoryBackend['erase'] = (call) => this.#database.erase(call?.signal);

  readonly backup: NonNullable<MemoryBackend['backup']> = (to, call) =>
    this.#database.backup(resolve(to), call?.signal);

  readonly check: NonNullable<MemoryBackend['check']> = (call) => this.#database.check(call?.signal);

  readonly salvage: NonNullable<MemoryBackend['salvage']> = async (call) => {
    // Not next to the store: its disk may be full.
    const directory = await mkdtemp(join(tmpdir(), 'cairn-salvage-'));
    const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
    const path = join(directory, 'memory.db');
    try {
      const lost = await this.#database.salvage(path, call?.signal);
      const copy = new SqliteStore({ ...this.#options, path, backups: false, readOnly: false }, this.#clock);
      const close = async (): Promise<void> => {
        await copy.close();
        await remove();
      };
      // It was just made, of rows with a correct checksum.
      return { backend: { ...copy, name: this.name, check: async () => [], close }, lost };
    } catch (error) {
      await remove();
      throw error;
    }
  };

  readonly notices: NonNullable<MemoryBackend['notices']> = () => this.#database.notices();

  readonly keptUntil: NonNullable<MemoryBackend['keptUntil']> = (call) => this.#database.keptUntil(call?.signal);

  readonly close: MemoryBackend['close'] = () => this.#database.close();
}

/** SQLite does not notice when the later pages of a long text are overwritten. */
function numbersOf(body: unknown): string {
  if (typeof body === 'string' && /^(?:,\d+)*$/u.test(body)) return body;
  throw Object.assign(new Error('the postings of a term are damaged'), { errcode: 11 });
}

/** Creates a backend in one SQLite file, which several processes may use simultaneously. Opens the file on first use. */
export function sqlite(options: SqliteOptions = {}): MemoryBackend {
  checkArguments.options('sqlite', options, {
    path: 'optional',
    busyTimeoutMs: 'optional',
    clock: 'optional',
    driver: 'optional',
    backups: 'optional',
    readOnly: 'optional',
  });
  const { busyTimeoutMs = 10_000, clock = Date.now, driver = nodeSqlite, backups, readOnly } = options;
  const place = { env: process.env, home: homeDirectory(), platform: process.platform };
  const path = resolve(options.path ?? userStorePath(place));
  return new SqliteStore({ path, busyTimeoutMs, driver, backups, readOnly }, clock);
}

/** Returns the daily backups of a store, and the files that restored backups replaced, newest first. */
export function listBackups(path: string): readonly BackupFile[] {
  return listFiles(realStorePath(resolve(path)));
}

/**
 * Replaces a store by a backup: by its name, or by the path of a file. The store that was there is kept among the backups for a week.
 * After a kill, the store is the one before or the backup.
 *
 * @throws {MemoryError} `INVALID_INPUT` for an unknown backup, `CORRUPT_STORE` for a damaged one, `STORE_LOCKED` while another
 *   process has the store open.
 */
export async function restoreBackup(path: string, backup: string): Promise<Restored> {
  const restore = await import('./sqlite-restore.ts');
  return restore.restoreBackup(resolve(path), backup);
}
