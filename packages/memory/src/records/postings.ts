/**
 * The postings of a term, in blocks of sequences: for each row that has it, one number of how often the row has it, times the size of
 * a block, plus the place of the row in the block.
 */

/** The sequences of a block, which is written again when a row in it is added or removed. */
export const POSTINGS_BLOCK = 512;

export function blockOf(sequence: number): number {
  return Math.floor(sequence / POSTINGS_BLOCK);
}

/** Returns the posting of a row, to append to its block. */
export function postingOf(sequence: number, count: number): string {
  return `,${count * POSTINGS_BLOCK + (sequence % POSTINGS_BLOCK)}`;
}

export function numbersOf(block: string): number[] {
  return block === '' ? [] : (JSON.parse(`[${block.slice(1)}]`) as number[]);
}

/** Returns a block without the postings of some rows. */
export function withoutPostings(block: string, sequences: readonly number[]): string {
  const places = new Set(sequences.map((sequence) => sequence % POSTINGS_BLOCK));
  const rest = numbersOf(block).filter((number) => !places.has(number % POSTINGS_BLOCK));
  return rest.map((number) => `,${number}`).join('');
}
