/** Interleaved rounds of every query with every contestant, after their answers were compared. */
import { say } from '../lib/progress.ts';
import { draw, seeded } from '../lib/random.ts';
import type { Contestant, ContestantName } from './contestants.ts';
import type { Found, Mode, Query } from './protocol.ts';

/** How much was found. */
interface Count {
  readonly files: number;
  readonly lines: number;
}

export interface Measured {
  readonly query: Query;
  /** As each counts them. */
  readonly counts: Readonly<Record<ContestantName, Count>>;
  /** How many files the index left to be opened; of the validated one. */
  candidates: number;
  /** One value per round, in milliseconds. */
  readonly times: Readonly<Record<ContestantName, number[]>>;
  /** How many answers of the watched one were not known by watching, though an index was used. */
  unwatched: number;
  /** Where Cairn differs from `rg`, or an answer from an earlier one. */
  readonly wrong: string[];
  /** Where fff differs. */
  readonly notes: string[];
}

/** As many paths of a difference are shown. */
const shown = 3;

function countOf(found: Found): Count {
  const counts = Object.values(found);
  return { files: counts.length, lines: counts.reduce((sum, count) => sum + count, 0) };
}

/** Returns the differences, or `undefined`; of fff, which does not count, only those of the files. */
function compare(found: Found, wanted: Found, counts: boolean): string | undefined {
  const names = Object.keys(found);
  const more = names.filter((path) => wanted[path] === undefined);
  const less = Object.keys(wanted).filter((path) => found[path] === undefined);
  const other = counts ? names.filter((path) => wanted[path] !== undefined && wanted[path] !== found[path]) : [];
  const parts = [
    ['more', more],
    ['fewer', less],
    ['with another count', other],
  ] as const;
  const list = parts.flatMap(([title, paths]) =>
    paths.length === 0 ? [] : [`${paths.length} ${title} (${paths.slice(0, shown).join(', ')})`],
  );
  return list.length === 0 ? undefined : list.join('; ');
}

async function checkQuery(query: Query, mode: Mode, contestants: readonly Contestant[]): Promise<Measured> {
  const lists: Record<ContestantName, Found> = { validated: {}, watched: {}, full: {}, rg: {}, fff: {} };
  for (const contestant of contestants) lists[contestant.name] = await contestant.list(query, mode);
  const { validated, watched, full, rg, fff } = lists;
  const counts = {
    validated: countOf(validated),
    watched: countOf(watched),
    full: countOf(full),
    rg: countOf(rg),
    fff: countOf(fff),
  };
  const differences = (name: ContestantName): string[] => {
    const difference = compare(lists[name], rg, name !== 'fff');
    return difference === undefined
      ? []
      : [`\`${query.pattern}\`: next to ${counts.rg.files} files of rg, ${name} has ${difference}`];
  };
  const wrong = (['validated', 'watched', 'full'] as const).flatMap(differences);
  const times = { validated: [], watched: [], full: [], rg: [], fff: [] };
  return { query, counts, candidates: Number.NaN, times, unwatched: 0, wrong, notes: differences('fff') };
}

async function timeOnce(one: Measured, contestant: Contestant, options: { mode: Mode; keep: boolean }): Promise<void> {
  const { name } = contestant;
  const { ms, files, lines, candidates, freshness } = await contestant.time(one.query, options.mode);
  if (options.keep) one.times[name].push(ms);
  if (name === 'rg') return;
  if (name === 'validated') one.candidates = candidates ?? Number.NaN;
  if (name === 'watched' && freshness === 'validated') one.unwatched += 1;
  const { files: listedFiles, lines: listedLines } = one.counts[name];
  if (files !== listedFiles || lines !== listedLines) {
    const listed = `${listedFiles} files and ${listedLines} lines`;
    one.wrong.push(`\`${one.query.pattern}\`: ${name} found ${files} files and ${lines} lines, and before ${listed}`);
  }
}

export interface RoundOptions {
  readonly queries: readonly Query[];
  readonly contestants: readonly Contestant[];
  readonly mode: Mode;
  readonly rounds: number;
}

const SEED = 5;

/**
 * Each round asks every query of every contestant. The order is drawn each time, because a contestant can slow down the next one:
 * fff still works after a large answer. The first round is discarded.
 */
export async function measureRounds({ queries, contestants, mode, rounds }: RoundOptions): Promise<Measured[]> {
  const random = seeded(SEED);
  const results: Measured[] = [];
  say('  comparing the answers');
  for (const query of queries) results.push(await checkQuery(query, mode, contestants));
  for (let round = 0; round <= rounds; round += 1) {
    say(`  round ${round} of ${rounds}`);
    for (const one of results) {
      for (const contestant of draw(contestants, contestants.length, random))
        await timeOnce(one, contestant, { mode, keep: round > 0 });
    }
  }
  return results;
}
