/** How long the layers take with many assets. */
import { createKnowledge } from '@cairn/knowledge';
import { draw, seeded } from '../lib/random.ts';
import type { Corpus } from '../retrieval/corpora.ts';
import { fill } from './many.ts';
import type { Text } from './many.ts';
import { ms, table } from './report.ts';
import { measureSessionStart } from './session-start.ts';

const ASSETS = 10_000;
const QUERIES = 200;
const ROUNDS = 7;

/** Sections of documentation, half in each language, as assets with their headings as titles. */
function textsOf(corpora: readonly Corpus[]): Text[] {
  const sections = (['zh', 'en'] as const).flatMap((language) =>
    corpora
      .filter((corpus) => corpus.language === language)
      .flatMap(({ name, documents, questions }) => {
        const headings = new Map(questions.map(({ query, wanted }) => [wanted, query]));
        return documents.map(({ id, text }) => ({
          name: `${name}-${language}-${id}`,
          title: (headings.get(id) ?? `${name} ${id}`).slice(0, 200),
          productLine: `docs/${name}`,
          tags: [name, language],
          body: text,
        }));
      })
      .slice(0, ASSETS / 2),
  );
  if (sections.length < ASSETS) throw new Error(`only ${sections.length} sections, not ${ASSETS}`);
  return sections;
}

/** The fastest of the rounds for each query, in order: other work of the machine only ever adds. */
async function timesOf(queries: readonly string[], call: (query: string) => Promise<unknown>): Promise<number[]> {
  const fastest = new Map<string, number>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const query of queries) {
      const start = performance.now();
      await call(query);
      fastest.set(query, Math.min(fastest.get(query) ?? Infinity, performance.now() - start));
    }
  }
  return [...fastest.values()].toSorted((left, right) => left - right);
}

function rowOf(name: string, times: readonly number[]): string[] {
  const at = (share: number): string => ms(times[Math.floor(times.length * share)] ?? 0);
  return [name, at(0), at(0.5), at(0.95), ms(times.at(-1) ?? 0)];
}

export async function measureSpeed(corpora: readonly Corpus[], directory: string): Promise<string> {
  const texts = textsOf(corpora);
  await using knowledge = createKnowledge({ directory, learn: false });
  await fill(knowledge, texts);
  await knowledge.index.refresh();
  const titles = texts.map(({ title }) => title).filter((title) => !title.includes('`'));
  const queries = draw(titles, QUERIES, seeded(1));
  const id = (query: string): { name: string; productLine: string } => {
    const { name = '', productLine = '' } = texts.find(({ title }) => title === query) ?? {};
    return { name, productLine };
  };
  const keys = new Map(queries.map((query) => [query, id(query)]));
  const start = performance.now();
  await knowledge.layers.search({ query: titles[0] ?? '' });
  const firstMs = performance.now() - start;
  const search = await timesOf(queries, (query) => knowledge.layers.search({ query }));
  const scan = await timesOf(queries, (query) => knowledge.index.scan(query));
  const get = await timesOf(queries, (query) => knowledge.layers.getAsset(keys.get(query) ?? { name: query }));
  const rows = [rowOf('index scan (L0)', scan), rowOf('search_knowledge (L1)', search), rowOf('get_asset (L2)', get)];
  await knowledge.index.flush();
  return [
    table(['', 'fastest query', 'median', '95th percentile', 'slowest query'], rows),
    `The first search after ${ASSETS} assets were added, which indexes their texts: ${ms(firstMs)}.`,
    measureSessionStart(directory),
  ].join('\n\n');
}
