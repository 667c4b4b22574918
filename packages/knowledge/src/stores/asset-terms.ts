import type { TermSource } from '@cairn/memory/terms';
import { isRemoval, parseRow } from './record.ts';
import { ASSETS_KEY } from './keys.ts';

/** Returns what an asset is found by; `undefined` when the row has no asset. */
function textOf(record: string): { readonly text: string; readonly timeMs: number } | undefined {
  const row = parseRow(record);
  if (row === undefined || isRemoval(row)) return undefined;
  const { name, productLine, title, tags } = row.fields;
  // Twice, because these words state the subject, and a body often repeats the words of others.
  const subject = [name, title, tags.join(' ')].join('\n');
  return { text: [subject, subject, productLine, row.text.slice(row.bodyStart)].join('\n'), timeMs: row.changedMs };
}

/** The assets as records that the term index finds. */
export const assetTerms: TermSource = { key: ASSETS_KEY, textOf };
