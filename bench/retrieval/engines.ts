/** The engines that answer: each takes documents in and gives the ids of those that a query finds, best first. */
import { DatabaseSync } from 'node:sqlite';
import { createTermIndex } from '@cairn/retrieval';
import type { Document } from './corpora.ts';

/** How far down a list people read. */
const SHOWN = 10;

type Answer = (query: string) => readonly string[];

export interface Engine {
  readonly name: string;
  open(documents: readonly Document[]): Answer;
}

const cairn: Engine = {
  name: 'cairn',
  open(documents) {
    const index = createTermIndex();
    for (const document of documents) index.add({ ...document, timeMs: 0 });
    return (query) => index.rank(query, SHOWN).map(({ id }) => id);
  },
};

const quote = (term: string): string => `"${term.replaceAll('"', '""')}"`;

/** A table of FTS5. `queryOf` makes its syntax of plain text; an empty one finds nothing. */
function fts5(
  name: string,
  tokenizer: string,
  queryOf: (text: string) => string,
  prepare: (text: string) => string = (text) => text,
): Engine {
  return {
    name,
    open(documents) {
      const database = new DatabaseSync(':memory:');
      database.exec(`CREATE VIRTUAL TABLE docs USING fts5(id UNINDEXED, text, tokenize = '${tokenizer}'); BEGIN`);
      const insert = database.prepare('INSERT INTO docs (id, text) VALUES (?, ?)');
      for (const { id, text } of documents) insert.run(id, prepare(text));
      database.exec('COMMIT');
      const select = database.prepare(`SELECT id FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT ${SHOWN}`);
      return (text) => {
        const query = queryOf(text);
        return query === '' ? [] : select.all(query).map(({ id }) => String(id));
      };
    },
  };
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

const trigrams = (text: string): string[] =>
  text.split(/\s+/).flatMap((word) => {
    const characters = [...word];
    return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
  });

/** Runs of Chinese as pairs of neighbours, divided by spaces. */
const pairs = (text: string): string =>
  text.replaceAll(/\p{Script=Han}{2,}/gu, (run) => {
    const characters = [...run];
    return ` ${characters
      .slice(1)
      .map((character, index) => `${characters[index] ?? ''}${character}`)
      .join(' ')} `;
  });

const tokens = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

/** What the benchmark uses of `minisearch`, so that types are checked where it is not installed. */
interface MiniSearch {
  addAll(documents: readonly Document[]): void;
  search(query: string): { readonly id: string }[];
}

interface MiniSearchOptions {
  readonly fields: readonly string[];
  readonly tokenize?: (text: string) => string[];
  readonly processTerm?: (term: string) => string | null;
}

export type MiniSearchClass = new (options: MiniSearchOptions) => MiniSearch;

function miniSearch(name: string, Class: MiniSearchClass, options: Partial<MiniSearchOptions>): Engine {
  return {
    name,
    open(documents) {
      const engine = new Class({ fields: ['text'], ...options });
      engine.addAll(documents);
      return (query) =>
        engine
          .search(query)
          .slice(0, SHOWN)
          .map(({ id }) => id);
    },
  };
}

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
const segment = (text: string): string[] =>
  Array.from(segmenter.segment(text)).flatMap((one) => (one.isWordLike === true ? one.segment : []));

const stopWords = new Set(
  'a an and are as at be but by for from how if in into is it no not of on or such that the their then there these they this to was what when which will with you your'.split(
    ' ',
  ),
);

/** All engines that are compared, ours first. */
export function engines(Class: MiniSearchClass, stem: (word: string) => string): Engine[] {
  const processTerm = (term: string): string | null => {
    const word = term.toLowerCase();
    return stopWords.has(word) ? null : /^[a-z]{3,}$/.test(word) ? stem(word) : word;
  };
  return [
    cairn,
    fts5('FTS5, AND', 'unicode61', (text) => words(text).map(quote).join(' ')),
    fts5('FTS5, OR', 'unicode61', (text) => words(text).map(quote).join(' OR ')),
    fts5('FTS5 porter, OR', 'porter unicode61', (text) => words(text).map(quote).join(' OR ')),
    fts5('FTS5 trigram, OR', 'trigram', (text) => trigrams(text).map(quote).join(' OR ')),
    fts5('FTS5 pairs + porter, OR', 'porter unicode61', (text) => tokens(pairs(text)).map(quote).join(' OR '), pairs),
    miniSearch('MiniSearch', Class, {}),
    miniSearch('MiniSearch, words', Class, { tokenize: segment }),
    miniSearch('MiniSearch, stems', Class, { tokenize: segment, processTerm }),
  ];
}
