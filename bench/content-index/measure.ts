/** Compares the answers of all contestants to every query, then times them in interleaved rounds. */
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
  /** What each contestant found. */
  readonly counts: Readonly<Record<ContestantName, Count>>;
  /** How many files `validated` opened. */
  candidates: number;
  /** Milliseconds, one value per round. */
  readonly times: Readonly<Record<ContestantName, number[]>>;
  /** How many answers of `watched` were validated by stats instead. */
  unwatched: number;
  /** Differences between Cairn and `rg`, and between two answers of one contestant. */
  readonly wrong: string[];
  /** Differences between fff and `rg`. */
  readonly notes: string[];
}

/** The number of paths that are named for each difference. */
const shown = 3;

function countOf(found: Found): Count {
  const counts = Object.values(found);
  return { files: counts.length, lines: counts.reduce((sum, count) => sum + count, 0) };
}

/** Describes how `found` differs from `wanted`, or returns `undefined`. Without `counts`, only the paths are compared. */
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
      : [`\`${query.pattern}\`: rg found ${counts.rg.files} files, ${name} has ${difference}`];
  };
  // fff does not count lines.
  const wrong = (['validated', 'watched', 'full'] as const).flatMap(differences);
  const times = { validated: [], watched: [], full: [], rg: [], fff: [] };
  return { query, counts, candidates: Number.NaN, times, unwatched: 0, wrong, notes: differences('fff') };
}

async function timeOnce(one: Measured, contestant: Contestant, mode: Mode): Promise<void> {
  const { name } = contestant;
  const { ms, files, lines, candidates, freshness } = await contestant.time(one.query, mode);
  one.times[name].push(ms);
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

/** A query that has taken longer in all is left out of the next rounds, so that a few slow ones do not take most of the time. */
const MAX_QUERY_MS = 12_000;

function isOver({ times }: Measured): boolean {
  return (
    Object.values(times)
      .flat()
      .reduce((sum, ms) => sum + ms, 0) > MAX_QUERY_MS
  );
}

/**
 * Each round asks every contestant every query. The order is drawn each time, because a contestant can slow down the next one: fff still
 * works after a large answer. The comparison has warmed all of them up.
 */
export async function measureRounds({ queries, contestants, mode, rounds }: RoundOptions): Promise<Measured[]> {
  const random = seeded(SEED);
  const results: Measured[] = [];
  say('  comparing the answers');
  for (const query of queries) results.push(await checkQuery(query, mode, contestants));
  for (let round = 1; round <= rounds; round += 1) {
    say(`  round ${round} of ${rounds}`);
    for (const one of results.filter((result) => !isOver(result))) {
      for (const contestant of draw(contestants, contestants.length, random)) await timeOnce(one, contestant, mode);
    }
  }
  return results;
}
