/** Runs one case: interleaved rounds, each with every contestant once, in an order that rotates. */
import type { Case, Goal } from './cases.ts';
import { measureMemory, openContestant } from './contestant.ts';
import type { Contestant } from './contestant.ts';
import type { ContestantName } from './engines/index.ts';
import { say } from './progress.ts';
import { median } from './statistics.ts';
import type { Outcome } from './task.ts';

export interface Measured {
  readonly name: ContestantName;
  /** One value per round: milliseconds, or megabytes where the case is about memory. */
  readonly values: readonly number[];
  readonly median: number;
  readonly minimum: number;
  /** How long the main thread of its process worked, in milliseconds; NaN where the case is about memory. */
  readonly threadMs: number;
  readonly outcome: Outcome;
  /** Peak resident memory of its process, Node included. */
  readonly peakMb: number;
}

export interface Missing {
  readonly name: ContestantName;
  readonly missing: string;
}

export interface GoalResult {
  readonly goal: Goal;
  /** How many times better than the best of those it names. */
  readonly ratio?: number;
  /** `undefined`: there was nothing to compare with. */
  readonly met: boolean | undefined;
}

export interface CaseResult {
  readonly id: string;
  readonly corpus: string;
  readonly title: string;
  readonly unit: 'ms' | 'MB';
  readonly rounds: number;
  /** Ours first. */
  readonly contestants: readonly (Measured | Missing)[];
  readonly goals: readonly GoalResult[];
  /** Results that were not what they must be. */
  readonly wrong: readonly string[];
  /** Differences that are explained. */
  readonly notes: readonly string[];
}

const us = 'cairn';
/** How far hits may differ even with an explanation. */
const explainedDifference = 0.2;

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const at = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Every value of a contestant, and the last outcome. */
interface Series {
  readonly name: ContestantName;
  readonly values: number[];
  readonly threadTimes: number[];
  outcome: Outcome | undefined;
  peakMb: number;
}

async function open(tested: Case, root: string, missing: Missing[]): Promise<Contestant[]> {
  const contestants: Contestant[] = [];
  for (const name of [us, ...tested.peers] as const) {
    try {
      const contestant = await openContestant(name, tested.task(root), tested.env ?? {});
      if (contestant === undefined) throw new Error('has no such function');
      contestants.push(contestant);
    } catch (error) {
      missing.push({ name, missing: reasonOf(error) });
    }
  }
  return contestants;
}

async function timeRounds(tested: Case, root: string, rounds: number, missing: Missing[]): Promise<Series[]> {
  const contestants = await open(tested, root, missing);
  try {
    const series = contestants.map((contestant): { contestant: Contestant } & Series => {
      return { contestant, name: contestant.name, values: [], threadTimes: [], outcome: undefined, peakMb: Number.NaN };
    });
    // The first round only warms the page cache and the code.
    for (let round = 0; round <= rounds; round += 1) {
      for (const one of rotated(series, round)) {
        const { ms, threadMs, outcome } = await one.contestant.sample();
        one.outcome = outcome;
        if (round === 0) continue;
        one.values.push(ms);
        one.threadTimes.push(threadMs);
      }
    }
    for (const one of series) one.peakMb = one.contestant.peakMb();
    return series;
  } finally {
    for (const contestant of contestants) contestant.close();
  }
}

/** Each sample is a process of its own, so a few are enough. */
const memoryRounds = 3;

async function memoryOf(tested: Case, root: string, missing: Missing[]): Promise<Series[]> {
  const series = ([us, ...tested.peers] as const).map((name): Series => {
    return { name, values: [], threadTimes: [], outcome: undefined, peakMb: Number.NaN };
  });
  for (let round = 0; round < memoryRounds; round += 1) {
    for (const one of rotated(series, round)) {
      if (missing.some(({ name }) => name === one.name)) continue;
      try {
        const { keptMb, peakMb, outcome } = await measureMemory(one.name, tested.task(root), tested.env ?? {});
        one.outcome = outcome;
        one.values.push(tested.measures === 'peak' ? peakMb : keptMb);
        one.peakMb = peakMb;
      } catch (error) {
        missing.push({ name: one.name, missing: reasonOf(error) });
      }
    }
  }
  return series;
}

function finish({ name, values, threadTimes, outcome, peakMb }: Series): Measured[] {
  if (outcome === undefined) return [];
  const threadMs = threadTimes.length > 0 ? median(threadTimes) : Number.NaN;
  return [{ name, values, median: median(values), minimum: Math.min(...values), threadMs, outcome, peakMb }];
}

function judgeGoal(goal: Goal, ours: Measured, peers: readonly Measured[]): GoalResult {
  if ('stopReason' in goal) return { goal, met: ours.outcome.stopReason === goal.stopReason };
  if ('atMost' in goal) return { goal, met: ours.median <= goal.atMost };
  const compared = peers.filter(({ name }) => goal.of.includes(name)).map((peer) => peer.median);
  // All of them, or the best might be the one that is not there.
  if (compared.length < goal.of.length) return { goal, met: undefined };
  const ratio = Math.min(...compared) / ours.median;
  return { goal, ratio, met: ratio >= goal.times };
}

/** A contestant must not win by doing less. */
function compareOutcomes(
  tested: Case,
  ours: Measured,
  peers: readonly Measured[],
): Pick<CaseResult, 'wrong' | 'notes'> {
  const wrong: string[] = [];
  const notes: string[] = [];
  const { wants } = tested;
  if (wants !== undefined && !ours.outcome.top?.includes(wants)) wrong.push(`${us} has ${wants} not near the top`);
  const expectsCut = tested.goals.some((goal) => 'stopReason' in goal);
  if (ours.outcome.stopReason !== undefined && !expectsCut) wrong.push(`${us} stopped: ${ours.outcome.stopReason}`);
  // What a fuzzy match is, everyone decides alone.
  const compared = tested.task('').kind === 'find' ? [] : peers;
  for (const { name, outcome } of compared) {
    const difference = Math.abs(outcome.count - ours.outcome.count);
    if (difference === 0) continue;
    const reason = tested.differs?.[name];
    const line = `${name} has ${outcome.count} hits, ${us} ${ours.outcome.count}`;
    const isPlausible = difference <= ours.outcome.count * explainedDifference;
    if (reason === undefined || !isPlausible) wrong.push(line);
    else notes.push(`${line}: ${reason}`);
  }
  return { wrong, notes };
}

export async function runCase(tested: Case, root: string, rounds: number): Promise<CaseResult> {
  say(`${tested.corpus}: ${tested.title}`);
  const missing: Missing[] = [];
  const isTime = tested.measures === 'time';
  const series = isTime ? await timeRounds(tested, root, rounds, missing) : await memoryOf(tested, root, missing);
  const measured = series.flatMap(finish);
  const ours = measured.find(({ name }) => name === us);
  if (ours === undefined) throw new Error(missing.find(({ name }) => name === us)?.missing ?? `${us} was not measured`);
  const peers = measured.filter((one) => one !== ours);
  return {
    id: tested.id,
    corpus: tested.corpus,
    title: tested.title,
    unit: isTime ? 'ms' : 'MB',
    rounds: isTime ? rounds : memoryRounds,
    contestants: [ours, ...peers, ...missing],
    goals: tested.goals.map((goal) => judgeGoal(goal, ours, peers)),
    ...compareOutcomes(tested, ours, peers),
  };
}
