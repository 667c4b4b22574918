/** The form of the postings of a term: `;sequence,count,length` for each row that has it. Stores keep them in blocks of sequences. */

/** The sequences of a block, which is written again when a row in it is added or removed. */
export const POSTINGS_BLOCK = 512;

/** Returns the block that has the posting of a row. */
export function blockOf(sequence: number): number {
  return Math.floor(sequence / POSTINGS_BLOCK);
}

/** Returns the posting of a row. */
export function postingOf(sequence: number, count: number, length: number): string {
  return `;${sequence},${count},${length}`;
}

/** Returns postings without those of some rows. */
export function withoutPostings(postings: string, sequences: readonly number[]): string {
  let rest = postings;
  for (const sequence of sequences) {
    const at = rest.indexOf(`;${sequence},`);
    if (at === -1) continue;
    const end = rest.indexOf(';', at + 1);
    rest = rest.slice(0, at) + (end === -1 ? '' : rest.slice(end));
  }
  return rest;
}

/** Returns the numbers of postings: a sequence, a count and a length of each row. */
export function numbersOf(postings: string): number[] {
  return postings === '' ? [] : (JSON.parse(`[${postings.slice(1).replaceAll(';', ',')}]`) as number[]);
}
