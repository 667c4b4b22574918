/** The questions of `test/knowledge`, asked of the layers and of other engines. */
import { askAll, countsOf } from '../../test/knowledge/measure.ts';
import type { Outcome } from '../../test/knowledge/measure.ts';
import { questions } from '../../test/knowledge/fixture/questions.ts';
import type { Knowledge } from '@cairn/knowledge';
import type { Engine } from '../retrieval/engines.ts';
import { table } from './report.ts';

export type Half = 'tuning' | 'held-out';

const SHOWN = 5;
const KINDS = ['name', 'paraphrase', 'tag', 'body', 'absent'] as const;

interface Contestant {
  readonly name: string;
  readonly outcomes: readonly Outcome[];
}

/** Asks the search only, without the index. */
async function searchAll(knowledge: Knowledge, half: Half): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const question of questions.filter(({ isHeldOut }) => isHeldOut === (half === 'held-out'))) {
    const { results, isAnswered } = await knowledge.layers.search({ query: question.query, limit: SHOWN });
    outcomes.push({ question, way: isAnswered ? 'search' : 'gap', ids: results.map(({ id }) => id) });
  }
  return outcomes;
}

/** Asks another engine, which finds the same words of the same assets. */
function engineAll(ask: (query: string) => readonly string[], half: Half): Outcome[] {
  return questions
    .filter(({ isHeldOut }) => isHeldOut === (half === 'held-out'))
    .map((question) => {
      const ids = ask(question.query).slice(0, SHOWN);
      return { question, way: ids.length === 0 ? 'gap' : 'search', ids };
    });
}

/** The assets that a question can find, with the text that the index of Cairn has. */
export async function documentsOf(knowledge: Knowledge): Promise<{ readonly id: string; readonly text: string }[]> {
  await knowledge.index.refresh();
  const heads = knowledge.index.heads().filter(({ type, status }) => type !== 'skill' && status === 'active');
  return Promise.all(
    heads.map(async ({ id, name, productLine, title, tags }) => {
      const body = (await knowledge.store.get(id))?.body ?? '';
      const subject = [name, title, tags.join(' ')].join('\n');
      return { id, text: [subject, subject, productLine, body].join('\n') };
    }),
  );
}

function share(part: number, whole: number): string {
  return `${part} of ${whole}`;
}

function rowOf({ name, outcomes }: Contestant): string[] {
  const cells = (['en', 'zh'] as const).flatMap((language) => {
    const own = outcomes.filter(({ question }) => question.language === language);
    const [answerable, absent] = [false, true].map((isAbsent) =>
      countsOf(own.filter(({ question }) => (question.kind === 'absent') === isAbsent)),
    );
    if (answerable === undefined || absent === undefined) return [];
    return [
      share(answerable.found, answerable.questions),
      share(answerable.first, answerable.questions),
      share(answerable.answered, answerable.questions),
      share(absent.gaps, absent.questions),
    ];
  });
  return [name, ...cells];
}

/** A row for each engine, over one half of the questions. */
export async function compareEngines(
  knowledge: Knowledge,
  { half, others }: { readonly half: Half; readonly others: readonly Engine[] },
): Promise<string> {
  const documents = await documentsOf(knowledge);
  const contestants: readonly Contestant[] = [
    { name: 'cairn, layers', outcomes: await askAll(knowledge, half) },
    { name: 'cairn, search only', outcomes: await searchAll(knowledge, half) },
    ...others.map((engine) => ({ name: engine.name, outcomes: engineAll(engine.open(documents), half) })),
  ];
  const columns = ['found', 'first', 'unmarked', 'absent'];
  const header = ['', ...columns.map((name) => `en ${name}`), ...columns.map((name) => `zh ${name}`)];
  return table(header, contestants.map(rowOf));
}

/** A row for each kind of question, over one half. */
export async function layersByKind(knowledge: Knowledge, half: Half): Promise<string> {
  const outcomes = await askAll(knowledge, half);
  const rows = KINDS.map((kind) => {
    const own = outcomes.filter(({ question }) => question.kind === kind);
    const { found, first, answered, gaps, questions: all } = countsOf(own);
    const ways = (way: Outcome['way']): string => String(own.filter((outcome) => outcome.way === way).length);
    const right = kind === 'absent' ? [String(gaps), '', ''] : [String(found), String(first), String(answered)];
    return [kind, String(all), ways('index'), ways('search'), ways('gap'), ...right];
  });
  return table(['', 'questions', 'index decides', 'search', 'gap', 'found', 'first', 'unmarked'], rows);
}
