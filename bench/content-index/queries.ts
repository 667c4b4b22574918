/** The queries: a fixed list for the kernel; for other trees, words drawn with a fixed seed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileType, glob, grep } from '@cairn/natives';
import { draw, seeded } from '../lib/random.ts';
import type { Random } from '../lib/random.ts';
import type { Query } from './protocol.ts';

const absent: Query = { kind: 'no match', pattern: 'zzqqyyxx_absent' };

/** Queries for every tree. */
const fixed: readonly Query[] = [
  { kind: 'short literal', pattern: 'foo' },
  { kind: 'word', pattern: 'TODO' },
  { kind: 'nothing to plan', pattern: 'zq' },
  { kind: 'nothing to plan', pattern: '[A-Z]{14}' },
];

export const kernelQueries: readonly Query[] = [
  absent,
  { kind: 'rare literal', pattern: 'PM_RESUME' },
  { kind: 'common literal', pattern: 'schedule_timeout' },
  { kind: 'selective regex', pattern: String.raw`[A-Z]+_SUSPEND\b` },
  { kind: 'selective regex', pattern: String.raw`struct\s+sched_\w+\s*\{` },
  { kind: 'alternatives', pattern: '(foo|bar)_init' },
  { kind: 'call', pattern: String.raw`mutex_lock\(` },
  { kind: 'ignoring case', pattern: 'kmalloc', ignoreCase: true },
  { kind: 'broad literal', pattern: 'return 0' },
  ...fixed,
];

/** A range of the share of files that have a match. */
interface Share {
  readonly from: number;
  readonly to: number;
}

/** The kernel's queries are in the same ranges. */
const shares = {
  rare: { from: 0.000_02, to: 0.0008 },
  common: { from: 0.003, to: 0.012 },
  frequent: { from: 0.03, to: 0.1 },
  broad: { from: 0.2, to: 0.6 },
} satisfies Record<string, Share>;

const SEED = 29;
const SAMPLED_FILES = 600;
const MAX_SAMPLED_BYTES = 200_000;
const MAX_TRIES = 60;

interface Words {
  readonly all: readonly string[];
  /** How many of the sampled files contain each word. */
  readonly counts: ReadonlyMap<string, number>;
  readonly sampled: number;
  readonly files: number;
}

async function sampleWords(root: string, random: Random): Promise<Words> {
  const options = { pattern: '**', path: root, hidden: true, includeNodeModules: true, fileType: FileType.File };
  const { matches } = await glob(options);
  const sampled = draw(matches, SAMPLED_FILES, random);
  const counts = new Map<string, number>();
  for (const { path } of sampled) {
    const text = readFileSync(join(root, path)).subarray(0, MAX_SAMPLED_BYTES).toString('latin1');
    if (text.includes('\0')) continue;
    for (const word of new Set(text.match(/\b[A-Za-z][A-Za-z_]{6,23}\b/g)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return { all: [...counts.keys()].toSorted(), counts, sampled: sampled.length, files: matches.length };
}

/** Draws words until a query with one matches in a share of the files that is in the range. */
async function findQuery(
  root: string,
  words: Words,
  options: { share: Share; random: Random; make: (word: string) => Query },
): Promise<Query> {
  const { share, random, make } = options;
  // Rare words are in one sampled file or in none.
  const least = Math.floor(share.from * words.sampled * 0.7);
  const most = Math.max(2, share.to * words.sampled * 1.5);
  const fitting = words.all.filter((word) => {
    const count = words.counts.get(word) ?? 0;
    return count >= least && count <= most;
  });
  const drawn = draw(fitting, MAX_TRIES, random).map(make);
  const range = { from: Math.max(1, share.from * words.files), to: Math.max(3, share.to * words.files) };
  let nearest: { query: Query; distance: number } | undefined;
  for (const query of drawn) {
    const { kind: _, ...asked } = query;
    const { filesWithMatches } = await grep({
      ...asked,
      path: root,
      includeNodeModules: true,
      mode: 'filesWithMatches',
    });
    if (filesWithMatches >= range.from && filesWithMatches <= range.to) return query;
    const middle = (range.from + range.to) / 2;
    const distance = Math.abs(Math.log((filesWithMatches + 0.5) / middle));
    if (nearest === undefined || distance < nearest.distance) nearest = { query, distance };
  }
  if (nearest === undefined) throw new Error(`${root}: no words to search for`);
  return nearest.query;
}

/** The kernel's kinds of queries for another tree. */
export async function drawQueries(root: string): Promise<Query[]> {
  const random = seeded(SEED);
  const words = await sampleWords(root, random);
  const find = (kind: string, share: Share, pattern: (word: string) => string, ignoreCase = false): Promise<Query> =>
    findQuery(root, words, {
      share,
      random,
      make: (word) => ({ kind, pattern: pattern(word), ...(ignoreCase && { ignoreCase }) }),
    });
  const itself = (word: string): string => word;
  const half = (word: string): string => word.slice(0, Math.ceil(word.length / 2) + 1);
  const [first, second] = [
    await find('rare literal', shares.rare, itself),
    await find('rare literal', shares.rare, itself),
  ];
  return [
    absent,
    first,
    await find('common literal', shares.common, itself),
    await find('selective regex', shares.common, (word) => String.raw`[A-Za-z]+${word.slice(2)}\b`),
    await find('selective regex', shares.rare, (word) => String.raw`\w+\s+${half(word)}\w+\s*[({=;,]`),
    { kind: 'alternatives', pattern: `(${first.pattern}|${second.pattern})` },
    await find('call', shares.frequent, (word) => String.raw`${word}\(`),
    await find('ignoring case', shares.frequent, (word) => word.toLowerCase(), true),
    await find('broad literal', shares.broad, itself),
    ...fixed,
  ];
}
