import { createKnowledge } from '@cairn/knowledge';
import type { Knowledge, SearchResult } from '@cairn/knowledge';
import { memory } from '@cairn/memory/memory';
import { fixtureAssets } from './fixture/assets.ts';
import type { AskedQuestion } from './fixture/asked.ts';
import { questions } from './fixture/questions.ts';
import type { Question } from './fixture/questions.ts';

/** The number of results that a search shows. */
const SHOWN = 5;

/** Opens knowledge that has the fixture, and writes nothing outside of `directory`. The assets are a second apart. */
export async function openFixture(directory: string, learn: boolean = false): Promise<Knowledge> {
  let nowMs = Date.parse('2026-01-28T00:00:00Z');
  const knowledge = createKnowledge({ backend: memory(), directory, clock: () => nowMs, learn });
  for (const { path, text } of fixtureAssets()) {
    nowMs += 1000;
    await knowledge.store.add({ text, path });
  }
  return knowledge;
}

/** What the layers gave for a question. */
export interface Outcome {
  readonly question: Question;
  /** `index`: the index decided, and the asset is read. `search`: the texts are searched. `gap`: and nothing answers. */
  readonly way: 'index' | 'search' | 'gap';
  /** The ids that are shown, best first, at most five. */
  readonly ids: readonly string[];
}

/** Asks the questions of a half. */
export async function askAll(knowledge: Knowledge, half: 'tuning' | 'held-out'): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    if (question.isHeldOut !== (half === 'held-out')) continue;
    // Without recording gaps, so that no question changes the next one.
    const { next, exact, search, assets } = await knowledge.layers.retrieve(question.query, { recordsGap: false });
    const shown = next === 'L2' ? exact : (search?.results ?? []);
    const way = next === 'L2' ? 'index' : assets.length === 0 ? 'gap' : 'search';
    outcomes.push({ question, way, ids: shown.slice(0, SHOWN).map(({ id }) => id) });
  }
  return outcomes;
}

export interface Counts {
  readonly questions: number;
  /** A right asset is shown, marked as similar or not. */
  readonly found: number;
  /** A right asset is shown first. */
  readonly first: number;
  /** A right asset is shown, and no gap is recorded. */
  readonly answered: number;
  /** A gap is recorded. For questions without an answer that is right. */
  readonly gaps: number;
}

export function countsOf(outcomes: readonly Outcome[]): Counts {
  const count = (is: (outcome: Outcome) => boolean): number => outcomes.filter(is).length;
  const isFound = ({ question, ids }: Outcome): boolean => ids.some((id) => question.wanted.includes(id));
  return {
    questions: outcomes.length,
    found: count(isFound),
    first: count(({ question, ids: [first = ''] }) => question.wanted.includes(first)),
    answered: count((outcome) => outcome.way !== 'gap' && isFound(outcome)),
    gaps: count(({ way }) => way === 'gap'),
  };
}

/** What the search shows for a question. */
export interface AskedOutcome {
  readonly question: AskedQuestion;
  readonly results: readonly SearchResult[];
}

/** Searches for each question. */
export async function searchAsked(knowledge: Knowledge, questions: readonly AskedQuestion[]): Promise<AskedOutcome[]> {
  const outcomes: AskedOutcome[] = [];
  for (const question of questions) {
    const { results } = await knowledge.layers.search({ query: question.query, limit: SHOWN });
    outcomes.push({ question, results });
  }
  return outcomes;
}

/** How many questions have a right asset first, among the shown ones, and unmarked. Without a right one: an unmarked one. */
export function askedCountsOf(
  outcomes: readonly AskedOutcome[],
): Record<'answered' | 'first' | 'found' | 'questions', number> {
  const counts = { questions: outcomes.length, first: 0, found: 0, answered: 0 };
  for (const { question, results } of outcomes) {
    const { wanted } = question;
    const right = results.filter(({ id }) => wanted.length === 0 || wanted.includes(id));
    if (wanted.includes(results[0]?.id ?? '')) counts.first++;
    if (wanted.length > 0 && right.length > 0) counts.found++;
    if (right.some(({ isSimilar }) => isSimilar !== true)) counts.answered++;
  }
  return counts;
}
