/** How long ours takes over many messages. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTermIndex, rankDocuments } from '@cairn/retrieval';
import type { RankDocument, TermIndex } from '@cairn/retrieval';
import type { Corpus } from './corpora.ts';

const MESSAGES = 100_000;
const MESSAGE_UNITS = 200;
/** The fastest of N counts: other work of the machine only ever adds. */
const ROUNDS = 15;
const BUILDS = 3;
/** Of two words in each language, of names, and of what nearly every message has. */
const QUERIES = ['表格内容', '使用Redis缓存', 'how do I configure the gateway token', 'readFile', '的'];
/** What a group keeps by default. */
const GROUP = 50;

export interface Speed {
  readonly messages: number;
  readonly units: number;
  readonly buildMs: number;
  readonly indexMb: number;
  readonly addMs: number;
  readonly removeMs: number;
  readonly queries: readonly { readonly query: string; readonly ms: number }[];
  /** `rankDocuments` over all, and over one group of messages. */
  readonly passMs: number;
  readonly group: number;
  readonly groupMs: number;
}

function time(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** Memory is only comparable when nothing waits to be collected; the flag takes effect in new contexts. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Cuts the text of the corpora into messages, half in each language. */
function messagesOf(corpora: readonly Corpus[]): RankDocument[] {
  const texts = ['zh', 'en'].map((language) =>
    corpora
      .filter((corpus) => corpus.language === language)
      .flatMap((corpus) => corpus.documents.map(({ text }) => text))
      .join('\n'),
  );
  return Array.from({ length: MESSAGES }, (_, index) => {
    const text = texts[index % 2] ?? '';
    // A prime, so that every message begins somewhere else.
    const from = (index * 137) % (text.length - MESSAGE_UNITS);
    return { id: `${index}`, text: text.slice(from, from + MESSAGE_UNITS), timeMs: index };
  });
}

export async function measureSpeed(corpora: readonly Corpus[]): Promise<Speed> {
  const messages = messagesOf(corpora);
  const before = heapUsed();
  const index = createTermIndex();
  const fill = (empty: TermIndex): number =>
    time(() => {
      for (const message of messages) empty.add(message);
    });
  const firstMs = fill(index);
  const indexMb = (heapUsed() - before) / 1e6;
  const buildMs = Math.min(firstMs, ...Array.from({ length: BUILDS - 1 }, () => fill(createTermIndex())));
  const queries = QUERIES.map((query) => {
    const rounds = Array.from({ length: ROUNDS }, () => time(() => index.rank(query, 10)));
    return { query, ms: Math.min(...rounds) };
  });
  const some = messages.slice(0, 1000);
  const removeMs = time(() => some.forEach(({ id }) => index.remove(id))) / some.length;
  const addMs = time(() => some.forEach((message) => index.add(message))) / some.length;
  const [query = ''] = QUERIES;
  const pass = async (count: number): Promise<number> => {
    const start = performance.now();
    await rankDocuments(query, messages.slice(0, count), { limit: 10 });
    return performance.now() - start;
  };
  const groups: number[] = [];
  for (let round = 0; round < ROUNDS; round++) groups.push(await pass(GROUP));
  const passMs = await pass(messages.length);
  const units = MESSAGE_UNITS;
  return {
    messages: messages.length,
    units,
    buildMs,
    indexMb,
    addMs,
    removeMs,
    queries,
    passMs,
    group: GROUP,
    groupMs: Math.min(...groups),
  };
}
