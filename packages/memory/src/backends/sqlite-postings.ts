import { setImmediate } from 'node:timers/promises';
import type { Terms } from '../records/backend.ts';
import { blockOf, postingOf, withoutPostings } from '../records/postings.ts';
import type { Statements } from './sqlite-statements.ts';

/** The blocks that are written in a few milliseconds. */
const BLOCKS_PER_TURN = 512;

/** The numbers that are added to and removed from the postings of a term in one block. */
interface BlockChange {
  readonly term: string;
  readonly block: number;
  added: string;
  readonly removed: number[];
}

/** Returns the numbers of a block that can be read, so that damage of others does not keep a row. The check of the file reports it. */
export function readable(body: unknown): string {
  return typeof body === 'string' ? (body.match(/,\d+(?=,|$)/gu) ?? []).join('') : '';
}

/** The changes of one block, by their terms. */
interface Block {
  readonly number: number;
  readonly changes: Map<string, BlockChange>;
}

/** Collects the changes of the postings of a key, so that each block is written once. */
export class PostingsChange {
  readonly #on: Statements;
  readonly #keyId: number;
  readonly #blocks = new Map<number, Map<string, BlockChange>>();
  readonly #changes: BlockChange[] = [];

  constructor(on: Statements, keyId: number) {
    this.#on = on;
    this.#keyId = keyId;
  }

  add(sequence: number, terms: Terms): void {
    const block = this.#blockOf(sequence);
    for (const [term, count] of terms) this.#changeOf(term, block).added += postingOf(sequence, count);
  }

  remove(sequence: number, terms: readonly string[]): void {
    const block = this.#blockOf(sequence);
    for (const term of terms) this.#changeOf(term, block).removed.push(sequence);
  }

  #blockOf(sequence: number): Block {
    const number = blockOf(sequence);
    const changes = this.#blocks.get(number) ?? new Map<string, BlockChange>();
    this.#blocks.set(number, changes);
    return { number, changes };
  }

  #changeOf(term: string, { number, changes }: Block): BlockChange {
    const known = changes.get(term);
    if (known !== undefined) return known;
    const change: BlockChange = { term, block: number, added: '', removed: [] };
    changes.set(term, change);
    this.#changes.push(change);
    return change;
  }

  /** Writes the changes. If there are many, other work runs in between. */
  save(): void | Promise<void> {
    if (this.#changes.length > BLOCKS_PER_TURN) return this.#saveInTurns();
    this.saveNow();
  }

  saveNow(): void {
    for (const change of this.#changes) this.#saveBlock(change);
  }

  async #saveInTurns(): Promise<void> {
    for (const [index, block] of this.#changes.entries()) {
      if (index % BLOCKS_PER_TURN === BLOCKS_PER_TURN - 1) await setImmediate();
      this.#saveBlock(block);
    }
  }

  #saveBlock({ term, block, added, removed }: BlockChange): void {
    if (removed.length === 0) {
      this.#append(term, block, added);
      return;
    }
    const sql = 'SELECT id, body FROM postings WHERE key_id = ? AND term = ? AND block = ?';
    const found = this.#on.get(sql, this.#keyId, term, block);
    const body = withoutPostings(`${readable(found?.['body'])}${added}`, removed);
    if (found === undefined) {
      if (body !== '') this.#append(term, block, body);
    } else if (body === '') this.#on.run('DELETE FROM postings WHERE id = ?', Number(found['id']));
    else this.#on.run('UPDATE postings SET body = ? WHERE id = ?', body, Number(found['id']));
  }

  #append(term: string, block: number, added: string): void {
    this.#on.run(
      `INSERT INTO postings (key_id, term, block, body) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET body = body || excluded.body`,
      this.#keyId,
      term,
      block,
      added,
    );
  }
}
