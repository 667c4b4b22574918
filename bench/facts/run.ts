/**
 * Are questions about the facts of a project answered, and are questions without an answer left unanswered?
 *
 *     npm run bench -- facts
 *
 * The facts and questions are in `test/retrieval`. Half of the questions are held out: no rule was chosen by their result.
 * Prints one table for each half.
 */
import { createRequire } from 'node:module';
import { createTermIndex } from '@cairn/retrieval';
import { facts } from '../../test/retrieval/facts.ts';
import { questions } from '../../test/retrieval/questions.ts';
import type { Question } from '../../test/retrieval/questions.ts';
import { engines } from '../retrieval/engines.ts';
import type { MiniSearchClass } from '../retrieval/engines.ts';

const SHOWN = 5;

/** A result, and whether the engine says that it may be no answer. */
interface Found {
  readonly id: string;
  readonly isMarked: boolean;
}

interface Contestant {
  readonly name: string;
  readonly ask: (query: string) => readonly Found[];
}

// By names in variables, so that types are checked where they are not installed.
const [miniSearch, porter] = ['minisearch', 'porter2'];
const { default: Class } = (await import(miniSearch)) as { default: MiniSearchClass };
const fromRetrieval = createRequire(new URL('../../packages/retrieval/package.json', import.meta.url));
const { stem } = fromRetrieval(porter) as { stem: (word: string) => string };

const documents = facts.map(([id, text]) => ({ id, text }));

function cairn(): Contestant {
  const index = createTermIndex();
  for (const document of documents) index.add({ ...document, timeMs: 0 });
  return {
    name: 'cairn',
    ask: (query) => index.rank(query, SHOWN).map(({ id, isSimilar }) => ({ id, isMarked: isSimilar === true })),
  };
}

const others = engines(Class, stem).filter(({ name }) => name !== 'cairn');
const contestants: readonly Contestant[] = [
  cairn(),
  ...others.map((engine): Contestant => {
    const answer = engine.open(documents);
    return {
      name: engine.name,
      ask: (query) =>
        answer(query)
          .slice(0, SHOWN)
          .map((id) => ({ id, isMarked: false })),
    };
  }),
];

function cell(some: readonly Question[], is: (question: Question) => boolean): string {
  return `${some.filter(is).length} of ${some.length}`;
}

function rowOf({ name, ask }: Contestant, asked: readonly Question[]): string {
  const cells = (['en', 'zh'] as const).flatMap((language) => {
    const own = asked.filter((question) => question.language === language);
    const answerable = own.filter(({ wanted }) => wanted.length > 0);
    const right = ({ query, wanted }: Question): Found[] => ask(query).filter(({ id }) => wanted.includes(id));
    return [
      cell(answerable, ({ query, wanted }) => wanted.includes(ask(query)[0]?.id ?? '')),
      cell(answerable, (question) => right(question).length > 0),
      cell(answerable, (question) => right(question).some(({ isMarked }) => !isMarked)),
      cell(
        own.filter(({ wanted }) => wanted.length === 0),
        ({ query }) => ask(query).some(({ isMarked }) => !isMarked),
      ),
    ];
  });
  return `| ${[name, ...cells].join(' | ')} |`;
}

const columns = ['recall@1', 'recall@5', 'unmarked', 'false'];
for (const [title, isHeldOut] of [
  ['Tuning half', false],
  ['Held-out half', true],
] as const) {
  const asked = questions.filter((question) => question.isHeldOut === isHeldOut);
  const header = ['', ...columns.map((name) => `en ${name}`), ...columns.map((name) => `zh ${name}`)];
  const lines = [
    `## ${title}`,
    '',
    `| ${header.join(' | ')} |`,
    `| --- |${' ---: |'.repeat(header.length - 1)}`,
    ...contestants.map((contestant) => rowOf(contestant, asked)),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
