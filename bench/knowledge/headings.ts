/** Headings of documentation as questions, and the text below them as assets. */
import { createKnowledge } from '@cairn/knowledge';
import { memory } from '@cairn/memory/memory';
import type { Corpus } from '../retrieval/corpora.ts';
import type { Engine } from '../retrieval/engines.ts';
import { qualityOf, ranksOf } from '../retrieval/measure.ts';
import { fill } from './many.ts';
import { percent, table } from './report.ts';

/** How far down a list people read. */
const SHOWN = 10;

/** The rank of the right section for each question, as `ranksOf` counts it. An asset has the number of its section as its title. */
async function ranksOfKnowledge({ documents, questions }: Corpus, directory: string): Promise<number[]> {
  await using knowledge = createKnowledge({ backend: memory(), directory, learn: false });
  await fill(
    knowledge,
    documents.map(({ id, text }) => ({ name: `n${id}`, title: `n${id}`, productLine: 'docs', body: text })),
  );
  const ranks: number[] = [];
  for (const { query, wanted } of questions) {
    const { results } = await knowledge.layers.search({ query, limit: SHOWN });
    ranks.push(results.length === 0 ? -1 : results.findIndex(({ name }) => name === `n${wanted}`) + 1);
  }
  return ranks;
}

/** A row for each engine, over all corpora of a language. */
export async function compareHeadings(
  corpora: readonly Corpus[],
  { others, directory }: { readonly others: readonly Engine[]; readonly directory: string },
): Promise<string> {
  const ranks = new Map<string, number[]>();
  for (const corpus of corpora) {
    const add = (name: string, some: readonly number[]): unknown =>
      ranks.set(name, [...(ranks.get(name) ?? []), ...some]);
    add('cairn, search_knowledge', await ranksOfKnowledge(corpus, `${directory}/${corpus.name}-${corpus.language}`));
    for (const engine of others) add(engine.name, ranksOf(engine, corpus));
  }
  const rows = [...ranks].map(([name, some]) => {
    const { recall1, recall5, mrr, empty } = qualityOf(some);
    return [name, percent(recall1), percent(recall5), mrr.toFixed(3), percent(empty)];
  });
  return table(['', 'recall@1', 'recall@5', 'MRR@10', 'empty'], rows);
}
