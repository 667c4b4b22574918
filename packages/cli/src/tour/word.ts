import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileType, GlobMatch } from '@cairn/natives';
import { pickWord, type Tally, wordCandidates } from './choices.ts';

const wordBytes = 1 << 16;

async function readStart(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    // Files that make up their content when they are read, as below /proc, say that they are empty; some never end.
    if ((await file.stat()).size === 0) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wordBytes), 0, wordBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

export interface WordSource {
  readonly root: string;
  readonly matches: readonly GlobMatch[];
  readonly types: typeof FileType;
  /** Files with the first of these are read first. */
  readonly extensions: readonly Tally[];
}

/** A word that occurs in a file of the tree, and that file. Only a few files are read, and only their beginning. */
export async function chooseWord(
  source: WordSource,
  signal: AbortSignal,
): Promise<{ word: string; path: string } | undefined> {
  for (const path of wordCandidates(source.matches, source.types, source.extensions)) {
    signal.throwIfAborted();
    // A file that is gone or unreadable by now is as good as one without words.
    const word = pickWord(await readStart(join(source.root, path)).catch(() => ''));
    if (word !== undefined) return { word, path };
  }
  return undefined;
}
