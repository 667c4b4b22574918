/** The questions of `test/knowledge/fixture/asked.ts`, as people ask them, by kind. */
import type { Knowledge } from '@cairn/knowledge';
import { asked, type AskedKind, type AskedQuestion } from '../../test/knowledge/fixture/asked.ts';
import { searchAsked } from '../../test/knowledge/measure.ts';
import type { Engine } from '../retrieval/engines.ts';
import { documentsOf, type Half } from './fixture.ts';
import { table } from './report.ts';

const SHOWN = 5;
const KINDS: readonly AskedKind[] = ['direct', 'paraphrase', 'symptom', 'language', 'typo', 'short'];

/** A result, and whether it is marked. */
interface Shown {
  readonly id: string;
  readonly isMarked: boolean;
}

type Answers = ReadonlyMap<AskedQuestion, readonly Shown[]>;

async function cairnAnswers(knowledge: Knowledge, questions: readonly AskedQuestion[]): Promise<Answers> {
  const outcomes = await searchAsked(knowledge, questions);
  return new Map(
    outcomes.map(({ question, results }) => [
      question,
      results.map(({ id, isSimilar }) => ({ id, isMarked: isSimilar === true })),
    ]),
  );
}

/** Another engine marks nothing. */
function engineAnswers(ask: (query: string) => readonly string[], questions: readonly AskedQuestion[]): Answers {
  return new Map(
    questions.map((question) => [
      question,
      ask(question.query)
        .slice(0, SHOWN)
        .map((id) => ({ id, isMarked: false })),
    ]),
  );
}

function cellsOf(answers: Answers): string[] {
  const shown = (kind: AskedKind): (readonly [AskedQuestion, readonly Shown[]])[] =>
    [...answers].filter(([question]) => question.kind === kind);
  const cells = KINDS.map((kind) => {
    const all = shown(kind);
    const count = (is: (question: AskedQuestion, results: readonly Shown[]) => boolean): number =>
      all.filter(([question, results]) => is(question, results)).length;
    const first = count(({ wanted }, results) => wanted.includes(results[0]?.id ?? ''));
    const found = count(({ wanted }, results) => results.some(({ id }) => wanted.includes(id)));
    const unmarked = count(({ wanted }, results) =>
      results.some(({ id, isMarked }) => !isMarked && wanted.includes(id)),
    );
    return `${first} / ${found} / ${unmarked}`;
  });
  const none = shown('unanswerable');
  const wrong = none.filter(([, results]) => results.some(({ isMarked }) => !isMarked)).length;
  return [...cells, `${wrong} of ${none.length}`];
}

/** A row for each engine, over one half: of each kind, the questions with a right asset first, among five, and unmarked. */
export async function compareAsked(
  knowledge: Knowledge,
  { half, others }: { readonly half: Half; readonly others: readonly Engine[] },
): Promise<string> {
  const questions = asked.filter(({ isHeldOut }) => isHeldOut === (half === 'held-out'));
  const documents = await documentsOf(knowledge);
  const rows = [
    ['cairn', ...cellsOf(await cairnAnswers(knowledge, questions))],
    ...others.map((engine) => [engine.name, ...cellsOf(engineAnswers(engine.open(documents), questions))]),
  ];
  return table(['', ...KINDS, 'unanswerable, unmarked'], rows);
}
