import { arch, cpus, release, type } from 'node:os';
import { versionOf } from './corpora.ts';
import type { Corpus } from './corpora.ts';
import { qualityOf } from './measure.ts';
import type { Quality } from './measure.ts';
import type { Language } from './sections.ts';
import type { Speed } from './speed.ts';

/** The answers of every engine to the questions of one corpus. */
export interface Result {
  readonly corpus: Corpus;
  /** By engine: see `ranksOf`. */
  readonly ranks: ReadonlyMap<string, readonly number[]>;
}

const languages: Readonly<Record<Language, string>> = { zh: 'Chinese', en: 'English' };

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(header), row(header.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');
}

function cellsOf({ recall1, recall5, mrr, empty }: Quality): string[] {
  return [...[recall1, recall5, mrr].map((value) => value.toFixed(3)), `${(empty * 100).toFixed(1)} %`];
}

function enginesOf(results: readonly Result[]): string[] {
  return [...(results[0]?.ranks.keys() ?? [])];
}

/** Every engine over all questions of some corpora. */
function together(results: readonly Result[]): string {
  const rows = enginesOf(results).map((engine) => {
    const ranks = results.flatMap((result) => result.ranks.get(engine) ?? []);
    return [engine, ...cellsOf(qualityOf(ranks))];
  });
  return table(['', 'recall@1', 'recall@5', 'MRR@10', 'empty'], rows);
}

/** Every engine over each corpus by itself. */
function apart(results: readonly Result[]): string {
  const header = ['', ...results.map(({ corpus }) => `${corpus.name}${corpus.isTuned ? '*' : ''}`)];
  const rows = enginesOf(results).map((engine) => [
    engine,
    ...results.map(({ ranks }) => {
      const { recall1, recall5 } = qualityOf(ranks.get(engine) ?? []);
      return `${recall1.toFixed(3)} / ${recall5.toFixed(3)}`;
    }),
  ]);
  const sizes = ['questions / sections'].concat(
    results.map(({ corpus }) => `${corpus.questions.length} / ${corpus.documents.length}`),
  );
  return table(header, [sizes, ...rows]);
}

function languageSection(language: Language, results: readonly Result[]): string {
  const own = results.filter(({ corpus }) => corpus.language === language);
  const [tuned, held] = [true, false].map((isTuned) => own.filter(({ corpus }) => corpus.isTuned === isTuned));
  const count = (some: readonly Result[] = []): number =>
    some.reduce((sum, { corpus }) => sum + corpus.questions.length, 0);
  return [
    `## ${languages[language]}`,
    `Documentation that was not used to choose the scheme, ${count(held)} questions:`,
    together(held ?? []),
    `Documentation that was used to choose the scheme, ${count(tuned)} questions:`,
    together(tuned ?? []),
    'Each source alone, recall@1 / recall@5 (* used to choose the scheme):',
    apart(own),
  ].join('\n\n');
}

function speedSection(speed: Speed): string {
  const ms = (value: number): string => (value < 1 ? value.toFixed(3) : value.toFixed(1));
  const rows = [
    [`build an index of ${speed.messages} messages of ${speed.units} characters`, `${ms(speed.buildMs)} ms`],
    ['the memory it takes', `${speed.indexMb.toFixed(0)} MB`],
    ['add one message to it', `${ms(speed.addMs)} ms`],
    ['remove one', `${ms(speed.removeMs)} ms`],
    ...speed.queries.map((one) => [`ask it for \`${one.query}\``, `${ms(one.ms)} ms`]),
    [`\`rankDocuments\` over ${speed.group} messages, without an index`, `${ms(speed.groupMs)} ms`],
    [`\`rankDocuments\` over ${speed.messages}`, `${ms(speed.passMs)} ms`],
  ];
  return [
    '## Speed',
    'In one thread; the fastest of several rounds, on a machine with other work.',
    table(['', ''], rows),
  ].join('\n\n');
}

/** The text of `bench/RETRIEVAL.md`. */
export function markdownOf(results: readonly Result[], speed: Speed | undefined, command: string): string {
  const names = [...new Set(results.map(({ corpus }) => corpus.name))].filter((name) => name !== 'cairn');
  const versions = [...names, 'minisearch'].map((name) => `${name} ${versionOf(name)}`).join(', ');
  return [
    '# Quality and speed of retrieval',
    [
      `- Date: ${new Date().toISOString().slice(0, 'yyyy-mm-dd'.length)}`,
      `- ${cpus()[0]?.model ?? 'unknown'}, ${type()} ${release()} ${arch()}, Node ${process.versions.node}, SQLite ${process.versions['sqlite'] ?? '?'}`,
      `- ${versions}`,
      `- Command: \`${command}\``,
    ].join('\n'),
    `Documentation is split at its headings. Each heading is a question, and the text below it, up to the next heading, is the answer,
without the heading. Headings that occur twice are not used. recall@5 is the share of questions with the right section among the
first five results, MRR the mean of 1 / its rank among the first ten, empty the share of questions without any result. Figures
below a half are expected: many headings have no word in common with their text.

FTS5 comes with \`node:sqlite\`. The words of the question are quoted and joined by the operator in the name, and ranked by its bm25.
"MiniSearch" has the default settings. "words" uses \`Intl.Segmenter('zh')\` as its tokenizer. "stems" also uses Porter's stems and
removes stop words; this was its best setting on the documentation that was used to choose our scheme (prefix and fuzzy search
made it worse).

When no document has a term of the question, an index of cairn returns documents with similar words and marks them. Here they count
like other results. This fallback was added after checking which English questions had no result, so "empty" is the only column
that was influenced by documentation that played no other part in the choice.`,
    languageSection('zh', results),
    languageSection('en', results),
    ...(speed === undefined ? [] : [speedSection(speed)]),
  ]
    .join('\n\n')
    .concat('\n');
}
